import { expect, it } from 'vitest';
import { openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const WAITERS = 10_000;

it('serves a queue of ten thousand in order, and is left by all of them at once', async () => {
  const { locks } = await openTwo({
    // A session that outlives a stall of this process: a waiter that loses it loses its place as well.
    sessionTimeoutMs: 40_000,
    maxWaiting: { perKey: WAITERS, total: WAITERS },
  });
  const untilQueued = (count: number): Promise<unknown> =>
    waitFor(async () => (await locks.inspect('k', { limit: 1 })).total === count, {
      ...{ what: `${count} in the queue`, timeoutMs: 100_000, intervalMs: 500 },
    });
  const holder = await locks.acquire('k');
  const leave = new AbortController();
  const granted: number[] = [];
  const waiting = Array.from({ length: WAITERS }, async (_, index) => {
    const lock = await locks.acquire('k', { signal: leave.signal, timeoutMs: 300_000 });
    granted.push(index);
    // Before it is given back: the next one has it before the release is answered.
    if (granted.length === 20) leave.abort();
    await lock.release();
  });
  const settled = Promise.allSettled(waiting);
  await untilQueued(WAITERS + 1);
  await holder.release();
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(granted).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(refused).toHaveLength(WAITERS - 20);
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { code: 'LOCK_ABORTED' } });
  await untilQueued(0);
}, 180_000);
