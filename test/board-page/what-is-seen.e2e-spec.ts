import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Locked, type Lock, WithPermit } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { cellsOf, rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

/** Runs in the page: it never polls, so that only the stream of the board can tell it of changes. */
const NEVER_POLL = `
  const { setTimeout } = window;
  window.setTimeout = (call, ms, ...rest) => (ms >= 1_000 ? 0 : setTimeout(call, ms, ...rest));
`;

it('shows who holds a key and who waits, and is told of changes by the stream', async () => {
  const board = await startBoard(apps);
  const other = await apps.replica({ application: 'billing' });
  let held = await board.locks.acquire('order:7', { label: 'ship' });
  let next = other.acquire('order:7', { label: 'refund', timeoutMs: Infinity });
  await apps.untilQueued(2);

  const page = await browser.openEmpty();
  await page.addInitScript({ content: NEVER_POLL });
  await page.goto(board.url);
  const row = rowOf(page, 'order:7');
  await row.waitFor();
  const [kind, holder, label, age, waiting] = await cellsOf(row);
  expect([kind, label, waiting]).toEqual(['lock · write', 'ship', '1']);
  expect(holder).toMatch(/^shop \S+:\d+$/);
  expect(age).toMatch(/^\d+ s$/);
  await page.getByText('live', { exact: true }).waitFor();

  for (const [releaser, label] of [
    [board.locks, 'refund'],
    [other, 'ship'],
    [board.locks, 'refund'],
  ] as const) {
    await held.release();
    held = await next;
    await row.getByRole('cell', { name: label, exact: true }).waitFor();
    next = releaser.acquire('order:7', {
      label: label === 'ship' ? 'refund' : 'ship',
      timeoutMs: Infinity,
    });
    await row.getByText('1', { exact: true }).waitFor();
  }

  await row.getByRole('link').click();
  await page.getByRole('heading', { name: 'order:7' }).waitFor();
  const holders = page.getByRole('table', { name: 'Holder' });
  await holders.getByText(String(held.fencingToken)).waitFor();
  await page.getByRole('table', { name: '1 waiting' }).getByText('shop').waitFor();
  await held.release();
  await (await next).release();
  await page.getByRole('main').getByText('It is free.').waitFor();
  expect(page.url()).toBe(`${board.url}#key=order:7`);
});

it('distinguishes permits, elections and runs', async () => {
  const board = await startBoard(apps);
  const { locks } = board;
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const permit = await locks.semaphore('cards', { permits: 4 }).acquire({ take: 2 });
  const election = locks.election('feed');
  const { fencingToken } = await election.whenLeader();
  await locks.runAtMostEvery('nightly', 60_000, () => undefined);
  await waitFor(async () => (await board.key('nightly')).lastRun?.outcome === 'done', {
    what: 'the run',
  });

  const page = await browser.open(`${board.url}#key=cards`);
  await page.getByRole('heading', { name: '2 permits taken' }).waitFor();
  await page.getByText('2 of 4 taken').waitFor();
  await page.goto(`${board.url}#key=feed`);
  await page.getByRole('table', { name: 'Leader' }).waitFor();
  await page.getByRole('complementary').getByText(String(fencingToken)).waitFor();
  await page.goto(`${board.url}#key=nightly`);
  await page.getByText(/done, took \d+ s/).waitFor();
  await page.getByText('at most every 1 min 00 s').waitFor();
  await page.getByText('1 ran').waitFor();
  await Promise.all([permit.release(), election.close()]);
  await inspector.deleteTree(`${apps.root}-runs`);
});

it('shows markup in keys and labels as text', async () => {
  const board = await startBoard(apps);
  const key = '<img src=x onerror=alert(1)>&lt;';
  const label = '<script>alert(2)</script><b>"\'';
  const held = await board.locks.acquire(key, { label });
  const waiting = board.locks.acquire(key, { label, timeoutMs: Infinity });
  await apps.untilQueued(2);
  const page = await browser.open(board.url);
  expect((await cellsOf(rowOf(page, key)))[2]).toBe(label);
  await rowOf(page, key).getByRole('link').click();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(key);
  expect(await page.getByRole('table', { name: 'Holder' }).textContent()).toContain(label);
  expect(await page.locator('img, b, script:not([src])').count()).toBe(0);
  expect(await page.title()).toBe(`${key} · Lock board`);
  await held.release();
  await (await waiting).release();
});

@Injectable()
class Orders {
  @Locked('order:{0}', { timeoutMs: 5_000 })
  async ship(_id: string, work: () => Promise<void>, _lock?: Lock): Promise<void> {
    await work();
  }

  @WithPermit('cards', { permits: 4 })
  async charge(): Promise<void> {}
}

it('shows the decorated methods of the application, with their options and counts', async () => {
  const board = await startBoard(apps, { metadata: { providers: [Orders] } });
  const orders = board.app.get(Orders);
  await orders.ship('1', async () => {});
  const page = await browser.open(board.url);
  await page.getByRole('link', { name: 'This application' }).click();
  await page.getByRole('heading', { name: '2 decorated methods' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Orders.ship()' });
  expect(await cellsOf(row)).toEqual([
    'Orders.ship() @Locked',
    'order:{0}',
    'timeoutMs 5000',
    ...['1', '0', '0', '1', '0', '0', '0'],
  ]);
  await expect(
    orders.ship('3', () => Promise.reject(new Error('of the method'))),
  ).rejects.toThrow();
  await row.getByText('own error 1').waitFor();
  const { pid } = process;
  await page.getByText(`since it started: shop on ${hostname()} (pid ${pid}).`).waitFor();
  let finish = (): void => {};
  const shipped = orders.ship('2', () => new Promise((resolve) => (finish = resolve)));
  await row.getByRole('cell', { name: '3', exact: true }).first().waitFor();
  finish();
  await shipped;
});
