import { randomUUID } from 'node:crypto';
import type { Connection } from 'zk-client';
import { expect, it } from 'vitest';
import { startBoard } from '../board/support/board-app.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { open } from '../zk-client/support.js';
import { longTasksOf, rowOf, useBrowser } from './support/browser.js';

const apps = useTestApps();
const browser = useBrowser();

const KEYS = 10_000;
const WAITERS = 1_000;

/** The longest time for which the page may be busy. */
const LONGEST_TASK_MS = 200;

/** In the dialect `curator-rw`. */
const nodeOf = (key: string): string => `${apps.root}/${key}/_c_${randomUUID()}-__WRIT__`;

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

async function hold(connection: Connection, key: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      connection.create(nodeOf(key), dataOf(index), { mode: 'ephemeralSequential' }),
    ),
  );
}

it(
  'shows 10,000 keys, and 1,000 who wait for one, without a stall',
  { timeout: 60_000 },
  async () => {
    const board = await startBoard(apps);
    const { connection } = await open({ sessionTimeoutMs: 30_000 });
    const names = [...Array.from({ length: KEYS }, (_, index) => nameOf(index)), 'popular'];
    await connection.create(apps.root, Buffer.alloc(0));
    await Promise.all(
      names.map((name) => connection.create(`${apps.root}/${name}`, Buffer.alloc(0))),
    );
    await Promise.all(names.map((name) => hold(connection, name, 1)));
    await hold(connection, 'popular', WAITERS);

    const page = await browser.open(board.url);
    await page.getByText('1–200 of 10,001').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(200);
    await page.getByRole('button', { name: 'Next rows' }).click();
    await page.getByText('201–400 of 10,001').waitFor();
    await page.getByRole('button', { name: 'Waiting' }).click();
    await rowOf(page, 'popular').getByText('1,000').waitFor();
    await page.getByRole('searchbox').pressSequentially('order:0499');
    await rowOf(page, 'order:04999').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('1–200 of 10,001').waitFor();

    // While many changes come, the page fetches at most four times a second, one fetch at a time.
    const fetches: number[] = [];
    let underWay = 0;
    let mostAtOnce = 0;
    page.on('request', (request) => {
      if (!request.url().includes('/keys?')) return;
      fetches.push(performance.now());
      mostAtOnce = Math.max(mostAtOnce, ++underWay);
    });
    page.on('requestfinished', (request) => {
      if (request.url().includes('/keys?')) underWay--;
    });
    const changing = new AbortController();
    const changes = (async () => {
      while (!changing.signal.aborted) {
        const { path } = await connection.create(nodeOf('popular'), dataOf(0), {
          mode: 'ephemeralSequential',
        });
        await connection.delete(path);
      }
    })();
    await waitFor(() => fetches.length >= 8, { what: 'eight fetches' });
    changing.abort();
    await changes;
    expect(mostAtOnce).toBe(1);
    // Seven intervals of 250 ms; the browser's timers may be a little early.
    expect(fetches[7]! - fetches[0]!).toBeGreaterThan(7 * 250 - 100);

    await rowOf(page, 'popular').getByRole('link').click();
    await page.getByText('1–200 of 1,000').waitFor();
    await page.getByRole('button', { name: 'Next rows' }).click();
    await page.getByRole('cell', { name: '201', exact: true }).waitFor();
    expect(Math.max(0, ...(await longTasksOf(page)))).toBeLessThan(LONGEST_TASK_MS);
    await page.context().close();

    await connection.close();
    const { connection: cleaner } = await open();
    await Promise.all(names.map((name) => cleaner.delete(`${apps.root}/${name}`)));
    await cleaner.close();
  },
);
