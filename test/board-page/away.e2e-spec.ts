import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { openBlindProxy } from '../support/open-proxy.js';
import { openServer } from '../support/open-servers.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { axeFindings } from './support/axe.js';
import { rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

it('shows a banner while ZooKeeper is away, with the last known keys, and removes it afterwards', async () => {
  const server = await openServer();
  const { connectString } = server;
  // A long session, so that the lock outlives the restart.
  const connection = { servers: connectString, sessionTimeoutMs: 30_000 };
  const { locks, url } = await startBoard(apps, { connection });
  const held = await locks.acquire('order:7');
  const page = await browser.open(url);
  await rowOf(page, 'order:7').waitFor();
  await page.getByText('live', { exact: true }).waitFor();

  await server.halt();
  const banner = page.getByRole('region', { name: 'Outdated' });
  await banner.getByText('No connection to ZooKeeper.').waitFor();
  await banner.getByText(/ECONNREFUSED/).waitFor();
  await banner.getByText('Processes that also cannot reach it get no locks').waitFor();
  expect(await banner.innerText()).toMatch(/ECONNREFUSED.*\. Processes/);
  expect(await page.getByText('No problems').count()).toBe(0);
  expect(await page.locator('.state.well').count()).toBe(0);
  expect(await page.getByRole('status').innerText()).toMatch(/No connection to ZooKeeper/);
  expect(await rowOf(page, 'order:7').count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  const ageOn = (one: Page) => rowOf(one, 'order:7').locator('time').innerText();
  const frozen = await ageOn(page);
  const fresh = await browser.open(url);
  expect(await ageOn(fresh)).toBe(frozen);
  // The banner keeps counting, but the ages stop.
  const told = await banner.innerText();
  await waitFor(async () => (await banner.innerText()) !== told, { what: 'a second' });
  expect([await ageOn(page), await ageOn(fresh)]).toEqual([frozen, frozen]);

  await server.restart();
  await banner.waitFor({ state: 'detached' });
  await held.release();
  await rowOf(page, 'order:7')
    .filter({ hasText: 'free' })
    .or(page.getByText('No key is'))
    .waitFor();
});

it('says that the locks cannot be read while ZooKeeper hides them', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('order:7');
  await using operator = await InspectClient.connect(sharedServer().connectString);
  await operator.withAuth('digest', 'other:secret');
  await operator.restrictTo(apps.root, 'other', 'secret');
  try {
    const page = await browser.open(url);
    const banner = page.getByRole('region', { name: 'Outdated' });
    await banner.getByText('The locks cannot be read.').waitFor();
    expect(await banner.innerText()).toContain(apps.root);
    expect(await banner.getByText(/connection|cannot reach/).count()).toBe(0);
    await operator.openToAll(apps.root);
    await banner.waitFor({ state: 'detached' });
    await rowOf(page, 'order:7').waitFor();
  } finally {
    await operator.openToAll(apps.root);
  }
  await held.release();
});

it('shows no rows of another query while the application is away', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await Promise.all(['order:7', 'order:8', 'feed'].map((key) => locks.acquire(key)));
  const page = await browser.open(url);
  browser.expectFailedRequests();
  const filter = page.getByRole('searchbox');
  await filter.fill('zzz');
  await page.getByText('No key matches.').waitFor();
  const addresses = /\/locks\/(overview|keys|groups)/;
  await page.route(addresses, (route) => route.abort());
  await filter.fill('');
  await page.getByText('Not loaded yet.').waitFor();
  expect(await page.getByText('No key').count()).toBe(0);
  await page.unroute(addresses);
  await rowOf(page, 'feed').waitFor();
  await page.getByRole('checkbox', { name: 'Grouped' }).check();
  await page.getByRole('link', { name: 'order:*' }).waitFor();
  await page.route(addresses, (route) => route.abort());
  await page.getByRole('link', { name: 'order:*' }).click();
  await page.getByText('Not loaded yet.').waitFor();
  expect(await rowOf(page, 'feed').count()).toBe(0);
  await page.getByRole('button', { name: 'All groups' }).click();
  await page.getByRole('link', { name: 'order:*' }).waitFor();
  await Promise.all(held.map((lock) => lock.release()));
});

it('works at an address that contains credentials', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('order:7');
  const page = await browser.open(url.replace('://', '://ann:secret@'));
  await rowOf(page, 'order:7').waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await held.release();
});

it('shows a banner while the application is away, and is live again afterwards', async () => {
  const { locks, url } = await startBoard(apps);
  const proxy = await openBlindProxy(Number(new URL(url).port));
  const held = await locks.acquire('order:7');
  const page = await browser.open(`http://127.0.0.1:${proxy.port}/locks`);
  await rowOf(page, 'order:7').waitFor();
  browser.expectFailedRequests();

  await proxy.refuse();
  await proxy.cut();
  const banner = page.getByRole('region', { name: 'Outdated' });
  await banner.getByText('The application does not answer.').waitFor();
  expect(await page.getByText('No problems').count()).toBe(0);
  expect(await rowOf(page, 'order:7').count()).toBe(1);
  await proxy.accept();
  await banner.waitFor({ state: 'detached' });
  await page.getByText('live', { exact: true }).waitFor();
  await held.release();
  await page.context().close();
});
