import type { LockService } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { cellsOf, rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

it('groups keys by their prefixes, and opens a group', async () => {
  const { locks, url } = await startBoard(apps);
  const keys = ['order:1', 'order:2', 'order:3', 'feed'];
  const held = await Promise.all(keys.map((key) => locks.acquire(key)));
  const waiting = locks.acquire('order:1', { timeoutMs: Infinity });
  await apps.untilQueued(5);
  const page = await browser.open(url);
  await page.getByRole('checkbox', { name: 'Grouped' }).check();
  const [name, ...counts] = await cellsOf(page.getByRole('row').filter({ hasText: 'order:*' }));
  expect([name, counts]).toEqual(['order:*', ['3', '3', '1', expect.stringMatching(/^\d+ s$/)]]);
  await page.getByText('2 groups').waitFor();
  await page.getByRole('link', { name: 'order:*' }).click();
  for (const key of keys.slice(0, 3)) await rowOf(page, key).waitFor();
  expect(await rowOf(page, 'feed').count()).toBe(0);
  await page.getByRole('button', { name: 'All groups' }).click();
  await page.getByRole('link', { name: 'feed' }).waitFor();
  await page.goto(`${url}#grouped=1&offset=200`);
  await page.getByText('There are only 2 groups.').waitFor();
  await Promise.all(held.map((lock) => lock.release()));
  await (await waiting).release();
});

it('shows problems of one kind once and a deadlock with links to its keys, and never capitalizes a process name', async () => {
  const { locks, url } = await startBoard(apps, { board: { longHoldMs: 1 } });
  const other = await apps.replica({ application: 'zk-lock' });
  const permit = await other.semaphore('cards', { permits: 4 }).acquire({ take: 4 });
  const plain = await Promise.all(['c', 'd'].map((key) => locks.acquire(key)));
  const giveUp = new AbortController();
  let entered = 0;
  const nest = (by: LockService, outer: string, inner: string): Promise<unknown> =>
    by.withLock(outer, async () => {
      entered++;
      await waitFor(() => entered === 2, { what: 'both to be inside' });
      await by.withLock(inner, { signal: giveUp.signal, timeoutMs: Infinity }, () => undefined);
    });
  const circle = [nest(locks, 'a', 'b'), nest(other, 'b', 'a')];
  await apps.untilQueued(10);
  const page = await browser.open(url);
  const problems = page.getByRole('region', { name: /problems$/ }).getByRole('listitem');
  const deadlock = problems.filter({ hasText: 'There is a deadlock' });
  await deadlock.waitFor();
  expect((await deadlock.getByRole('link').allInnerTexts()).toSorted()).toEqual(['a', 'b']);
  // Unlike for the keys of the deadlock, no call is waiting for these.
  const long = problems.filter({
    hasText: '3 keys are held by calls that asked for them more than',
  });
  await long.waitFor();
  expect((await long.getByRole('link').allInnerTexts()).toSorted()).toEqual(['c', 'cards', 'd']);
  await rowOf(page, 'cards').getByText('4 of 4 permits').waitFor();

  await long.getByRole('link', { name: 'cards' }).click();
  const own = page.getByRole('listitem').filter({ hasText: /holds it, and asked for it/ });
  const text = await own.innerText();
  expect(text).toContain('zk-lock on ');
  expect(await own.locator('time').getAttribute('title')).toMatch(/\d{1,2}:\d{2}:\d{2}/);
  expect(text).not.toContain('Revoke');
  giveUp.abort();
  await Promise.allSettled(circle);
  await Promise.all([permit, ...plain].map((each) => each.release()));
});

it('keeps counting ages while nothing happens, shows the time as a tooltip, and copies the command that breaks a lock', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('order:7');
  const page = await browser.open(`${url}#key=order:7`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const age = page.getByRole('table', { name: 'Holder' }).locator('time').first();
  const before = await age.innerText();
  await waitFor(async () => (await age.innerText()) !== before, { what: 'a second to be counted' });
  expect(await age.getAttribute('title')).toMatch(/\d{1,2}:\d{2}:\d{2}/);
  await page.getByRole('button', { name: 'Copy the command' }).click();
  await page.getByRole('status').filter({ hasText: /cop/i }).waitFor();
  const { holders } = await locks.inspect('order:7');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `zk-lock break order:7 --token ${held.fencingToken} --node ${holders[0]!.node} --root ${apps.root}`,
  );
  await held.release();
});

it('does not call a key free if calls are refused or nothing is known', async () => {
  const { url } = await startBoard(apps);
  await apps.whileForeign('legacy', 'left-behind', async () => {
    const page = await browser.open(url);
    await rowOf(page, 'legacy').getByText('calls are refused').waitFor();
    expect((await cellsOf(rowOf(page, 'legacy'))).join()).not.toContain('free');
    await rowOf(page, 'legacy').getByRole('link').click();
    await page.getByText('Its directory has 1 child that is not a lock node').waitFor();
    await page.goto(`${url}#key=ordre:7`);
    await page.getByText('Nothing is known about this key').waitFor();
    expect(await page.getByText('It is free.').count()).toBe(0);
  });
});

it('does not call a key free that calls are waiting for, such as a semaphore without permits', async () => {
  const sharedCount = `${apps.root}-count`;
  const { locks, url } = await startBoard(apps);
  const semaphore = locks.semaphore('cards', { permits: { sharedCount, seed: 1 } });
  await semaphore.setPermits(0);
  const giveUp = new AbortController();
  const waiting = semaphore.acquire({ signal: giveUp.signal, timeoutMs: Infinity });
  const page = await browser.open(url);
  await rowOf(page, 'cards').getByText('1', { exact: true }).waitFor();
  await rowOf(page, 'cards').getByText('no holder').waitFor();
  giveUp.abort();
  await expect(waiting).rejects.toThrow();
  await locks.client.delete(sharedCount);
});

it('counts all holders and problems, also those that it does not show', async () => {
  const { locks, url } = await startBoard(apps, { board: { longHoldMs: 1 } });
  const permits = await locks.semaphore('cards', { permits: 300 }).acquire({ take: 203 });
  const names = Array.from({ length: 60 }, (_, index) => `order:${index}`);
  const held = await Promise.all(names.map((name) => locks.acquire(name)));
  const page = await browser.open(url);
  await page.getByRole('heading', { name: '61 problems' }).waitFor();
  await page.getByText('At least 50 keys are held').waitFor();
  expect(await page.title()).toBe('(61) Lock board');
  await page.goto(`${url}#key=cards`);
  await page.getByRole('heading', { name: '203 permits taken' }).waitFor();
  await page.getByText('Only the first 100 are shown.').waitFor();
  await page.getByText('195 more holds at the same time, not drawn.').waitFor();
  await Promise.all([permits, ...held].map((each) => each.release()));
});

it('leads back from a page beyond the end of a queue', async () => {
  const { locks, url } = await startBoard(apps);
  const held = await locks.acquire('order:7');
  const next = locks.acquire('order:7', { label: 'refund', timeoutMs: Infinity });
  await apps.untilQueued(2);
  const page = await browser.open(`${url}#key=order:7&offset=400`);
  await page.getByText('There is nothing to show from number 401 on.').waitFor();
  await page.getByRole('button', { name: 'Show the first ones' }).click();
  await page.getByRole('table', { name: '1 waiting' }).getByText('refund').waitFor();
  await held.release();
  await (await next).release();
});
