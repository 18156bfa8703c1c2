import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { LockTree } from 'zk-locks/inspect';
import { bodyOf, openWire } from '../conformance/wire.js';
import { openLocks, ownRoot } from '../support/locks.js';
import { longestTurnOf, onThisMachine } from '../support/loop-meter.js';
import { sharedServer } from '../support/shared-server.js';
import { open } from '../zk-client/support.js';

const NODES = 6_000;
const AT_ONCE = 2_000;

const nodeOf = (index: number): string =>
  `_c_${randomUUID()}-__${index % 3 === 0 ? 'WRIT' : 'READ'}__${String(index).padStart(10, '0')}`;

const dataOf = (index: number): Buffer =>
  Buffer.from(JSON.stringify({ host: 'h', pid: 1, since: 'x', holds: [`k/${index}`] }));

/** Reads all keys, as a newly opened board does. */
async function readAnew(root: string): Promise<void> {
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  await tree.read();
  tree.deadlocks();
  await tree.close();
}

it('6,000 nodes in one directory do not block the event loop of a program that reads them', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  const { connection } = await open({ sessionTimeoutMs: 30_000 });
  for (const path of [root, `${root}/k`])
    await connection.create(path, Buffer.alloc(0), 'persistent');
  for (let from = 0; from < NODES; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, index) => from + index);
    const create = (index: number): Promise<unknown> =>
      connection.create(`${root}/k/${nodeOf(index)}`, dataOf(index), 'ephemeral');
    await Promise.all(some.map(create));
  }
  const tree = new LockTree({ servers: sharedServer().connectString, root });
  try {
    tree.start();
    const looks: [string, () => Promise<unknown>][] = [
      ['inspect', () => locks.inspect('k')],
      ['acquire', () => locks.acquire('k', { timeoutMs: 200 }).catch(() => undefined)],
      ['deadlocks', () => locks.deadlocks()],
      ['tree', () => readAnew(root)],
    ];
    const mostMs = onThisMachine(50);
    for (const [name, look] of looks)
      expect(await longestTurnOf(look, mostMs), name).toBeLessThan(mostMs);
    expect(await locks.deadlocks()).toMatchObject({ deadlocks: [], isCut: true });
    const found = (await tree.read()).get('k');
    expect(found).toMatchObject({ total: NODES, unread: NODES - 5_000 });
    expect(tree.deadlocks()).toEqual({ deadlocks: [], isCut: true });
  } finally {
    await tree.close();
    // Its nodes end with its session.
    await connection.close();
  }
});

it('names of almost a megabyte do not block the event loop of a program that reads a tree', async () => {
  const root = ownRoot();
  const stranger = await openWire({ timeOut: 30_000 });
  bodyOf(await stranger.create(root));
  const path = `${root}/${'%2F'.repeat(300_000)}`;
  const tree = await LockTree.open({ servers: sharedServer().connectString, root });
  const changed = async (): Promise<void> =>
    new Promise((resolve) => {
      const stop = tree.onChange(() => {
        stop();
        resolve();
      });
    });
  const look = async (): Promise<void> => {
    const hasCome = changed();
    bodyOf(await stranger.create(path));
    await hasCome;
    await tree.read();
    const hasGone = changed();
    await stranger.remove(path);
    await hasGone;
    await tree.read();
  };
  try {
    const mostMs = onThisMachine(50);
    expect(await longestTurnOf(look, mostMs)).toBeLessThan(mostMs);
  } finally {
    await tree.close();
  }
});
