import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Connection } from 'zk-client';
import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { leastOf } from '../support/loop-meter.js';
import { waitFor } from '../support/wait-for.js';
import { open } from '../zk-client/support.js';
import { longestTaskOf, rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

const KEYS = 10_000;
const WAITERS = 1_000;
const READERS = 4_000;

/** In the dialect `curator-rw`. */
const nodeOf = (key: string, mode = 'WRIT'): string =>
  `${apps.root}/${key}/_c_${randomUUID()}-__${mode}__`;

const dataOf = (index: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      application: ['orders', 'billing', 'stock'][index % 3],
      host: `web-${index % 20}`,
      pid: 4_000 + (index % 20),
      label: `call ${index}`,
      since: new Date().toISOString(),
    }),
  );

const nameOf = (index: number): string => `order:${String(index).padStart(5, '0')}`;

async function hold(
  connection: Connection,
  key: string,
  count: number,
  mode?: string,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      connection.create(nodeOf(key, mode), dataOf(index), 'ephemeral-sequential'),
    ),
  );
}

type KeyTexts = readonly [holders: string, waiters: string, events: string | RegExp];

/** When the page fetched keys, on its own clock: notifications to this process may be late. */
const fetchesOf = (page: Page): Promise<{ begun: number; ended: number }[]> =>
  page.evaluate(`performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.includes('/keys?'))
    .map(({ startTime: begun, responseEnd: ended }) => ({ begun, ended }))`);

it(
  'shows 10,000 keys, and 1,000 calls waiting for one of them, without a stall',
  { timeout: 180_000 },
  async () => {
    const board = await startBoard(apps);
    const { connection } = await open({ sessionTimeoutMs: 30_000 });
    const names = [...Array.from({ length: KEYS }, (_, index) => nameOf(index)), 'popular'];
    await connection.create(apps.root, Buffer.alloc(0), 'persistent');
    const addKeys = async (added: readonly string[]): Promise<void> => {
      await Promise.all(
        added.map((name) =>
          connection.create(`${apps.root}/${name}`, Buffer.alloc(0), 'persistent'),
        ),
      );
      await Promise.all(added.map((name) => hold(connection, name, 1)));
    };
    const measure = async (browse: (page: Page) => Promise<void>): Promise<number> => {
      const page = await browser.openEmpty();
      const longestMs = await longestTaskOf(page, () => browse(page));
      await page.context().close();
      return longestMs;
    };
    const list = async (page: Page, total: string): Promise<void> => {
      await page.goto(board.url);
      await page.getByText(`1–100 of ${total}`).waitFor();
      expect(await page.locator('tbody tr').count()).toBe(100);
      await page.getByRole('button', { name: 'Next rows' }).click();
      await page.getByText(`101–200 of ${total}`).waitFor();
    };

    await addKeys(names.slice(0, 200));
    const few = (): Promise<number> => measure((page) => list(page, '200'));
    const longestWithFew = Math.min(await few(), await few());

    await addKeys(names.slice(200));
    await hold(connection, 'popular', WAITERS);
    const browse = async (page: Page): Promise<void> => {
      await list(page, '10,001');
      await page.getByRole('button', { name: 'Waiting' }).click();
      await rowOf(page, 'popular').getByText('1,000').waitFor();
      await page.getByRole('searchbox').pressSequentially('order:0499');
      await rowOf(page, 'order:04999').waitFor();
      await page.getByRole('searchbox').fill('');
      await page.getByText('1–100 of 10,001').waitFor();

      // During many changes, the page fetches at most four times a second, one fetch at a time.
      await page.evaluate('performance.clearResourceTimings()');
      const changing = new AbortController();
      const changes = (async () => {
        while (!changing.signal.aborted) {
          const { path } = await connection.create(
            nodeOf('popular'),
            dataOf(0),
            'ephemeral-sequential',
          );
          await connection.delete(path);
        }
      })();
      await waitFor(async () => (await fetchesOf(page)).length >= 8, { what: 'eight fetches' });
      changing.abort();
      await changes;
      const fetches = (await fetchesOf(page)).slice(0, 8);
      const early = fetches.filter(
        ({ begun }, index) => index > 0 && begun < fetches[index - 1]!.ended,
      );
      expect(early).toEqual([]);
      // Seven intervals of 250 ms; the browser's timers may be a little early.
      expect(fetches[7]!.begun - fetches[0]!.begun).toBeGreaterThan(7 * 250 - 100);

      await rowOf(page, 'popular').getByRole('link').click();
      await page.getByText('1–100 of 1,000').waitFor();
      await page.getByRole('button', { name: 'Next rows' }).click();
      await page.getByRole('cell', { name: '101', exact: true }).waitFor();
    };
    const limit = 3 * longestWithFew;
    expect(await leastOf(limit, () => measure(browse))).toBeLessThan(limit);

    await connection.close();
    const { connection: cleaner } = await open();
    await Promise.all(names.map((name) => cleaner.delete(`${apps.root}/${name}`)));
    await cleaner.close();
  },
);

it('shows a key with 4,000 holders and its history without a stall', async () => {
  const board = await startBoard(apps);
  const page = await browser.open(board.url);
  const { connection } = await open({ sessionTimeoutMs: 30_000 });
  await connection.create(apps.root, Buffer.alloc(0), 'persistent');
  const add = async (name: string, readers: number, waiters: number): Promise<void> => {
    await connection.create(`${apps.root}/${name}`, Buffer.alloc(0), 'persistent');
    await hold(connection, name, readers, 'READ');
    // What follows is in the history of the key.
    await rowOf(page, name).waitFor();
    await hold(connection, name, waiters);
  };
  const openKey = async (name: string, [holders, waiters, events]: KeyTexts): Promise<void> => {
    await rowOf(page, name).getByText(waiters).waitFor();
    await rowOf(page, name).getByRole('link').click();
    await page.getByRole('heading', { name: `${holders} holders` }).waitFor();
    await page.getByText(`1–100 of ${waiters}`).waitFor();
    await page.getByRole('button', { name: events }).waitFor();
    await page.getByRole('link', { name: 'All keys' }).click();
    await rowOf(page, name).waitFor();
  };

  await add('quiet', 200, 200);
  const few = (): Promise<number> =>
    longestTaskOf(page, () => openKey('quiet', ['200', '200', /^Show \d+ events$/]));
  const longestWithFew = Math.min(await few(), await few());

  await add('busy', READERS, WAITERS);
  const limit = 3 * longestWithFew;
  const measure = (): Promise<number> =>
    longestTaskOf(page, () => openKey('busy', ['4,000', '1,000', 'Show 200 events']));
  expect(await leastOf(limit, measure)).toBeLessThan(limit);
  await page.context().close();

  await connection.close();
  const { connection: cleaner } = await open();
  for (const name of ['quiet', 'busy']) await cleaner.delete(`${apps.root}/${name}`);
  await cleaner.close();
});
