import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError, ZooKeeperUnavailableError } from 'zk-client/recipes';
import { dialectOf } from '../nodes/dialect.js';
import type { QueueContext } from '../queue/lock-node.js';
import { Inspector } from './inspector.js';

it('lists no further directories for a search for deadlocks that has failed meanwhile', async () => {
  const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
  let answer!: (names: readonly string[]) => void;
  const answered = new Promise<readonly string[]>((resolve) => (answer = resolve));
  const list = vi.fn(async (_: unknown, path: string) => (path === '/locks' ? keys : answered));
  const session = { isStarted: true, whenConnected: async () => Promise.resolve({}) };
  const context = {
    ...{ root: '/locks', connectTimeoutMs: 10, dialect: dialectOf('curator-rw') },
    session: { ...session, snapshot: { servers: 'zk1:2181' } },
    activeLocks: { closing: new AbortController().signal },
    directories: { list },
  } as unknown as QueueContext;
  await expect(new Inspector(context).deadlocks()).rejects.toThrow(ZooKeeperUnavailableError);
  const listed = list.mock.calls.length;
  answer([]);
  await nextTurn();
  await nextTurn();
  expect(list).toHaveBeenCalledTimes(listed);
  expect(listed).toBeLessThan(keys.length);
});

it('does not repeat a request for a call that has failed meanwhile', async () => {
  let reconnected!: (isSame: boolean) => void;
  const reconnecting = new Promise<boolean>((resolve) => (reconnected = resolve));
  const session = {
    snapshot: { servers: 'zk1:2181' },
    isStarted: true,
    whenConnected: async () => Promise.resolve({}),
    whenReconnected: () => reconnecting,
  };
  const activeLocks = { closing: new AbortController().signal };
  const context = { session, activeLocks, connectTimeoutMs: 10 } as unknown as QueueContext;
  const inspector = new Inspector(context);
  const lost = new ZooKeeperError(ReturnCode.connectionLoss, 'set', '/k');
  const question = vi.fn(() => Promise.reject(lost));
  await expect(inspector.ask('/k', question)).rejects.toThrow(ZooKeeperUnavailableError);
  reconnected(true);
  await nextTurn();
  expect(question).toHaveBeenCalledTimes(1);
});
