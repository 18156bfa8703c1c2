import { expect, it } from 'vitest';
import { openLocks, shortSession } from '../support/locks.js';
import { openServer } from '../support/open-servers.js';

const CALLS = 5_000;
const LARGE = Buffer.alloc(50_000, 'x');
const WRITTEN = Buffer.alloc(20_000, 'x');

it('keeps the locks while thousands of large values are written and read at once', async () => {
  // Servers of tests have 128 MB otherwise, too little for the answers of a second.
  const { connectString: servers } = await openServer({ javaOptions: ['-Xmx512m'] });
  const locks = await openLocks({ servers, ...shortSession });
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
}, 120_000);
