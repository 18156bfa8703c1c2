import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError, ZooKeeperUnavailableError } from 'zk-client/recipes';
import type { QueueContext } from '../queue/lock-node.js';
import { Inspector } from './inspector.js';

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
