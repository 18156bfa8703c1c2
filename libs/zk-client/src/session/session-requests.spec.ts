import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { ZooKeeperClient } from '../port/zookeeper-client.js';
import { Clock } from './clock.js';
import type { SessionLease } from './session-lease.js';
import { SessionRequests } from './session-requests.js';

const lease = { answered: () => undefined } as unknown as SessionLease;

class Requests extends SessionRequests {
  constructor(private readonly client: Partial<ZooKeeperClient>) {
    super(new Clock(), () => false, undefined);
  }

  protected clientOf(): ZooKeeperClient {
    return this.client as ZooKeeperClient;
  }

  whenReconnected(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

it('does not send a watch again, for which a server was too busy, once it was removed', async () => {
  const throttled = new ZooKeeperError(ReturnCode.throttled, 'addWatch', '/a');
  const addWatch = vi.fn(() => Promise.reject(throttled));
  const removeWatches = vi.fn(() => Promise.resolve());
  const requests = new Requests({ addWatch, removeWatches });
  const added = requests.addWatch(lease, '/a', { recursive: false });
  await requests.removeWatch(lease, '/a');
  await added;
  expect(removeWatches).toHaveBeenCalledTimes(1);
  expect(addWatch).toHaveBeenCalledTimes(1);
});
