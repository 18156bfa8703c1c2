import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openWorker, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';

const ROUNDS = 21;
const session = { sessionTimeoutMs: 1_000, tickTimeMs: 500 };

it(`tells a cut-off holder before the lock is given to another process, ${ROUNDS} times of ${ROUNDS}`, async () => {
  const root = ownRoot();
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const holder = await openWorker({ ...session, root, servers: proxy.connectString });
  const waiter = await openWorker({ ...session, root });
  const freezes = [
    () => proxy.freeze(),
    () => proxy.freezeTowards('client'),
    () => proxy.freezeTowards('server'),
  ];
  const headStarts: number[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    const held = await holder.acquire('k');
    const waiting = waiter.acquire('k');
    await freezes[round % freezes.length]?.();
    const [lost, granted] = await Promise.all([holder.loss(held.lock), waiting]);
    headStarts.push(granted.at - lost.at);
    expect(BigInt(granted.fencingToken)).toBeGreaterThan(BigInt(held.fencingToken));
    await proxy.thaw();
    await waiter.release(granted.lock);
    await holder.release(held.lock);
  }

  expect(headStarts).toHaveLength(ROUNDS);
  expect(Math.min(...headStarts)).toBeGreaterThan(0);
}, 120_000);
