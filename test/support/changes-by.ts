import { expect } from 'vitest';
import { openLocks } from './locks.js';
import { openZooKeeper } from './open-servers.js';
import { uniqueRoot } from './shared-server.js';
import type { ZooKeeperServer } from './zookeeper-server.js';

/** Transactions that change no node: the begin and the end of a session, and what was refused. */
const WITHOUT_EFFECT = [-10, -11, -1];

/** What a server has executed on nodes while `work` was done, by the numbers in `OpCode`. */
export async function changesBy(
  server: ZooKeeperServer,
  work: () => Promise<void>,
): Promise<number[]> {
  const before = server.transactions().length;
  await work();
  const since = server.transactions().slice(before);
  // Each session is in the log.
  expect(since.length).toBeGreaterThan(0);
  return since.map(({ type }) => type).filter((type) => !WITHOUT_EFFECT.includes(type));
}

export const ROOT_STATES = ['is missing', 'is in use'] as const;

/** A server without the root, or with a held lock, `order:1`, below it. */
export async function openServerWhereRoot(
  state: (typeof ROOT_STATES)[number],
): Promise<{ server: ZooKeeperServer; root: string }> {
  const root = uniqueRoot();
  const server = await openZooKeeper();
  if (state === 'is in use') {
    const locks = await openLocks({ servers: server.connectString, root, tickTimeMs: 500 });
    await locks.acquire('order:1');
  }
  return { server, root };
}
