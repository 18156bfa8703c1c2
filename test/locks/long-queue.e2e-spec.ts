import { expect, it } from 'vitest';
import { openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

const WAITERS = 10_000;

it('serves a queue of ten thousand in order, and is left by all of them at once', async () => {
  // A session that outlives a stall of this process: whoever loses it loses its place as well.
  const locks = await openLocks({
    root: ownRoot(),
    sessionTimeoutMs: 40_000,
    maxWaiting: { perKey: WAITERS, total: WAITERS },
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
  await waitFor(async () => (await locks.inspect('k', { limit: 1 })).total === WAITERS + 1, {
    what: 'the queue',
    timeoutMs: 100_000,
    intervalMs: 500,
  });
  await holder.release();
  const outcomes = await settled;
  expect(granted).toEqual(Array.from({ length: 20 }, (_, index) => index));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(WAITERS - 20);
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { code: 'LOCK_ABORTED' } });
  await waitFor(async () => (await locks.inspect('k')).total === 0, {
    what: 'the queue to be empty',
    timeoutMs: 100_000,
  });
}, 180_000);
