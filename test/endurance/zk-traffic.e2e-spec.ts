import { expect, it } from 'vitest';
import { Locks } from 'zk-locks';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const CALLS = 5_000;
const LARGE = Buffer.alloc(50_000, 'x');
const WRITTEN = Buffer.alloc(20_000, 'x');

it('keeps the locks while thousands of large values are written and read at once', async () => {
  // Servers of tests have 128 MB otherwise, too little for the answers of a second.
  await using server = await ZooKeeperServer.start({ javaOptions: ['-Xmx512m'] });
  const { connectString: servers } = server;
  const locks = new Locks({ servers, sessionTimeoutMs: 2_000, tickTimeMs: 500 });
  await locks.start();
  const { client: zk } = locks;
  await zk.create('/read', LARGE);
  await zk.create('/written', WRITTEN);
  const lock = await locks.acquire('k');
  const states: string[] = [];
  const stop = locks.session.onState(({ name }) => states.push(name));
  const forLong = { timeoutMs: Infinity };
  const calls = Array.from({ length: CALLS }, (_, index) =>
    index % 5 === 0 ? zk.set('/written', WRITTEN, forLong) : zk.get('/read', forLong),
  );
  await Promise.all(calls);
  stop();
  expect(lock.isHeld).toBe(true);
  expect(states).toEqual(['connected']);
  expect((await zk.exists('/written'))?.version).toBe(CALLS / 5);
  await lock.release();
  await locks.close();
}, 120_000);
