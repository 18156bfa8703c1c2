import { expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { openZooKeeper } from '../support/open-servers.js';
import { waitFor } from '../support/wait-for.js';

it("a user's watch that a server does not support is refused, and no lock loses its connection", async () => {
  const server = await openZooKeeper({
    systemProperties: {
      'zookeeper.watchManagerName': 'org.apache.zookeeper.server.watch.WatchManagerOptimized',
    },
  });
  const locks = await openLocks({ servers: server.connectString, client: 'wire' });
  const lock = await locks.acquire('k');
  const ended: unknown[] = [];
  const states: string[] = [];
  locks.session.onState(({ name }) => states.push(name));
  for (const recursive of [true, false]) {
    locks.client.onChange('/', () => undefined, { recursive, onEnd: (error) => ended.push(error) });
  }
  await waitFor(() => ended.length === 2, { what: 'both to be refused' });
  expect(ended[0]).toMatchObject({ code: 'ZK_UNIMPLEMENTED' });
  expect(states).toEqual(['connected']);
  expect(lock.isHeld).toBe(true);
  await lock.release();
  await locks.withLock('k', () => undefined);
});
