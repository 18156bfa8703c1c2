import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Connection } from 'zk-client';
import { Application } from '../hostile/support/application.js';
import { ownRoot } from '../support/locks.js';
import { leastOf, onThisMachine } from '../support/loop-meter.js';
import { sharedServer } from '../support/shared-server.js';
import { open } from '../zk-client/support.js';
import { longestTaskOf, useBrowser } from './support/browser.js';

const browser = useBrowser();

const KEYS = 10_000;
const CHANGES = 1_000;
const CHANGES_A_SECOND = 200;
/**
 * Each node exists for a fifth of a second. Nodes that exist only between two reads are not shown.
 */
const AT_ONCE = 20;

/** The limits for one turn of the application's event loop, and for a task in the page, in CPU time. */
const LONGEST_TURN_MS = 50;
const LONGEST_TASK_MS = 100;

const data = Buffer.from(JSON.stringify({ host: 'web-1', pid: 7, label: 'ship', since: '' }));

const nameOf = (index: number): string => `order:${String(index).padStart(5, '0')}`;

const hold = (connection: Connection, directory: string): Promise<{ readonly path: string }> =>
  connection.create(`${directory}/_c_${randomUUID()}-__WRIT__`, data, 'ephemeral-sequential');

it(
  'shows the history of a key among 10,000 keys and 200 changes a second without a stall',
  { timeout: 180_000 },
  async () => {
    const root = ownRoot();
    const servers = sharedServer().connectString;
    const { connection } = await open({ sessionTimeoutMs: 30_000 });
    const directories = Array.from({ length: KEYS }, (_, index) => `${root}/${nameOf(index)}`);
    await connection.create(root, Buffer.alloc(0), 'persistent');
    await Promise.all(
      directories.map((path) => connection.create(path, Buffer.alloc(0), 'persistent')),
    );
    await Promise.all(directories.slice(1).map((path) => hold(connection, path)));
    await using application = await Application.start({ servers, root });
    const page = await browser.open(`${await application.tell('board')}#key=${nameOf(0)}`);
    await page.getByRole('heading', { name: /^History since/ }).waitFor();

    /** Half of the changes concern the key that is shown. */
    const change = async (): Promise<void> => {
      const begun = performance.now();
      const present: string[] = [];
      for (let index = 0; index < CHANGES; index += 2) {
        const directory = directories[index % 4 === 0 ? 0 : index]!;
        present.push((await hold(connection, directory)).path);
        if (present.length > AT_ONCE) await connection.delete(present.shift()!);
        const aheadMs = (index / CHANGES_A_SECOND) * 1_000 - (performance.now() - begun);
        if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      }
      await Promise.all(present.map((path) => connection.delete(path)));
    };
    const measure = async (): Promise<number> => {
      await application.tell('used');
      const longestTaskMs = await longestTaskOf(page, change);
      const { longestTurnMs } = await application.tell('used');
      return Math.max(longestTurnMs / LONGEST_TURN_MS, longestTaskMs / LONGEST_TASK_MS);
    };
    const most = onThisMachine(1);
    expect(await leastOf(most, measure)).toBeLessThan(most);
    await page.getByRole('button', { name: /^Show \d+ events?$/ }).waitFor();
    await page.context().close();

    await connection.close();
    const { connection: cleaner } = await open();
    await Promise.all(directories.map((path) => cleaner.delete(path)));
    await cleaner.close();
  },
);
