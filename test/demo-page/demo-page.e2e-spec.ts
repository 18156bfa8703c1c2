import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../board-page/support/axe.js';
import { refuseLater, useBrowser } from '../board-page/support/browser.js';
import { firstView, useDemo } from '../demo/demo-process.js';
import { waitFor } from '../support/wait-for.js';

const browser = useBrowser();

/** Shared by all tests: each leaves two running replicas. */
const demo = useDemo();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const outcomeOf = (page: Page) => page.locator('.outcome');

/** Waits until the page describes the result of the fault. */
async function verdict(page: Page, text: RegExp): Promise<void> {
  await outcomeOf(page).getByText(text).waitFor({ timeout: 60_000 });
}

const restoreButton = (page: Page) => page.getByRole('button', { name: /^Restore [AB]$/ });

/** Restores both replicas. */
async function restore(page: Page): Promise<void> {
  await restoreButton(page).click();
  const both = async (): Promise<boolean> =>
    (await firstView(demo.url)).replicas.every(({ session }) => session === 'connected');
  await waitFor(both, { what: 'both to be connected', timeoutMs: 60_000 });
}

it('sells 100 tickets through two replicas, which are all counted only with the lock', async () => {
  const page = await browser.open(demo.url);
  await button(page, 'Sell 100 tickets without the lock').click();
  const unlocked = page.getByRole('article', { name: 'Without a lock' });
  await unlocked.getByText(/[1-9]\d* lost/).waitFor({ timeout: 60_000 });
  const [, counted, lost] = /(\d+) counted, (\d+) lost/.exec(await unlocked.innerText())!;
  expect(Number(counted) + Number(lost)).toBe(100);
  expect(await unlocked.locator('.ticket.lost').count()).toBe(Number(lost));

  await button(page, 'Sell 100 tickets with the lock').click();
  const locked = page.getByRole('article', { name: 'With a lock' });
  await locked.getByText('100 counted, 0 lost').waitFor({ timeout: 60_000 });
  expect(await locked.locator('.ticket.counted').count()).toBe(100);
});

it('says that a sale was refused if a replica is killed meanwhile', async () => {
  const page = await browser.open(demo.url);
  await page.locator('li.holder').waitFor();
  await button(page, 'Sell 100 tickets with the lock').click();
  await button(page, 'Kill the holder').click();
  await page.getByText('A sale was refused. Try again.').waitFor({ timeout: 60_000 });
  await verdict(page, /was killed: /);
  await restore(page);
});

it('takes one order at a time, and says what it waits for', async () => {
  const page = await browser.open(demo.url);
  browser.expectFailedRequests();
  const answer = await refuseLater(page, '**/stage/fail', 'No replica holds the lock.');
  await button(page, 'Kill the holder').click();
  await outcomeOf(page).getByText('Waiting for the next replica').waitFor();
  expect(await button(page, 'Stop the holder').getAttribute('aria-disabled')).toBe('true');
  answer();
  await outcomeOf(page).getByText('No replica holds the lock.').waitFor();
  expect(await button(page, 'Stop the holder').getAttribute('aria-disabled')).toBe('false');
});

it('shows the queue as it moves, and leads to a board that has something to show', async () => {
  const page = await browser.open(demo.url);
  const queue = page.getByRole('region', { name: 'The queue in ZooKeeper' });
  await queue.getByRole('listitem').nth(3).waitFor();
  const holder = queue.locator('li.holder .replica');
  // Each has the lock during two audits of four seconds.
  for (const name of ['A', 'B'])
    await holder.getByText(name, { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Lock board' }).click();
  await page.getByRole('link', { name: 'show:hamlet' }).waitFor();
});

describe('the holder of the lock', () => {
  it('is cut off from ZooKeeper: it is told before the other replica gets the lock', async () => {
    const page = await browser.open(demo.url);
    await button(page, 'Cut the holder off from ZooKeeper').click();
    await verdict(page, /was told .* after the cut .* At no time did both hold it\.$/);
    await page.getByText('is told that the lock is lost.').first().waitFor();
    const [, cutOff] = /^Restore ([AB])$/.exec(await restoreButton(page).innerText())!;
    const { periods } = await firstView(demo.url);
    // On a busy machine, the other replica may have lost the lock in an earlier test.
    const lost = periods.findLast(({ kind, replica }) => kind === 'lost' && replica === cutOff)!;
    const other = periods.find(
      ({ replica, from }) => replica !== lost.replica && from > lost.from,
    )!;
    expect(other.from).toBeGreaterThanOrEqual(lost.until!);
    await restore(page);
    await page.getByText(`You give ${lost.replica} its network back.`).first().waitFor();
  });

  it('is killed: the other replica gets the lock when the session has ended', async () => {
    const page = await browser.open(demo.url);
    const before = (await firstView(demo.url)).replicas.map(({ pid }) => pid);
    await button(page, 'Kill the holder').click();
    await verdict(page, /^. got the lock [\d.]+ s after . was killed: /);
    expect(await button(page, 'Sell 100 tickets with the lock').getAttribute('aria-disabled')).toBe(
      'true',
    );
    await restore(page);
    await page
      .getByText(/^You start . again\.$/)
      .first()
      .waitFor({ timeout: 60_000 });
    const after = (await firstView(demo.url)).replicas.map(({ pid }) => pid);
    expect(after.filter((pid) => before.includes(pid))).toHaveLength(1);
  });

  it('is stopped: it finishes its work, and hands over at once', async () => {
    const page = await browser.open(demo.url);
    await button(page, 'Stop the holder').click();
    await verdict(page, /^. finished its audit and released the lock\. . got it [\d.]+ s later\.$/);
    await restore(page);
  });
});

it('in light and dark, wide and narrow, axe finds nothing wrong, and nothing scrolls sideways', async () => {
  // The tickets of both sales still exist.
  const first = await browser.open(demo.url);
  await button(first, 'Kill the holder').click();
  await first
    .getByText(/^You kill ./)
    .first()
    .waitFor();
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 380],
  ] as const) {
    const page = await browser.open(demo.url, { colorScheme, viewport: { width, height: 900 } });
    expect(await axeFindings(page), `${colorScheme}, ${width} pixels`).toEqual([]);
    const isTooWide = 'document.documentElement.scrollWidth > window.innerWidth';
    expect(await page.evaluate<boolean>(isTooWide), `${width} pixels`).toBe(false);
  }
  await restore(first);
});

it('says that it is not connected when the demo has ended', async () => {
  const page = await browser.open(demo.url);
  browser.expectFailedRequests();
  await page.getByText('live', { exact: true }).waitFor();
  // Otherwise the page may learn that both replicas have ended, and offers nothing.
  await demo.stage.end('SIGKILL');
  await page.getByText('not connected').waitFor();
  await button(page, 'Kill the holder').click();
  await page.getByText('The demo does not answer.').waitFor();
});
