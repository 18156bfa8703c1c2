import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { LINK_FREEZES } from '../support/link-freezes.js';
import { openWorker, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';

const ROUNDS = 7;
const session = { sessionTimeoutMs: 1_000, tickTimeMs: 500 };

/** By how much each of so many cut-off holders was told before another one was let in, in ms. */
async function freezeHolders(
  freeze: (proxy: FaultProxy) => Promise<void>,
): Promise<readonly number[]> {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const holder = await openWorker({ ...session, root, servers: proxy.connectString });
  const waiter = await openWorker({ ...session, root });
  const headStarts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const held = await holder.acquire('k');
    const waiting = waiter.acquire('k');
    await freeze(proxy);
    const [lost, granted] = await Promise.all([holder.loss(held.lock), waiting]);
    headStarts.push(granted.at - lost.at);
    expect(BigInt(granted.fencingToken)).toBeGreaterThan(BigInt(held.fencingToken));
    await proxy.thaw();
    await waiter.release(granted.lock);
    await holder.release(held.lock);
  }
  return headStarts;
}

const times = LINK_FREEZES.length * ROUNDS;

it(`tells a cut-off holder before the lock is given to another process, ${times} times of ${times}`, async () => {
  const headStarts = (
    await Promise.all(LINK_FREEZES.map(({ freeze }) => freezeHolders(freeze)))
  ).flat();
  expect(headStarts).toHaveLength(times);
  expect(Math.min(...headStarts)).toBeGreaterThan(0);
}, 120_000);
