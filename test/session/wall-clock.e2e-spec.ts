import { afterEach, expect, it, vi } from 'vitest';
import type { Lock } from '../../libs/zk-lock/src/locks/lock.js';
import { openLocks, ownRoot } from '../support/locks.js';

const HOUR_MS = 3_600_000;

/** A heartbeat every 6.7 s, which would be waited for unless the server is asked at once. */
const options = { sessionTimeoutMs: 40_000, tickTimeMs: 500 };

afterEach(() => void vi.restoreAllMocks());

function setWallClockForward(): void {
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + HOUR_MS);
}

it.each([false, {}])(
  'gives the result of finished work although the wall clock was set forward, with cohort: %o',
  async (cohort) => {
    const locks = await openLocks({ ...options, root: ownRoot(), cohort });
    const signals: AbortSignal[] = [];
    const work = ({ signal, isHeld }: Pick<Lock, 'signal' | 'isHeld'>): string => {
      signals.push(signal);
      setWallClockForward();
      return isHeld ? 'was held' : 'was not held';
    };
    const startedAt = performance.now();
    await expect(locks.withLock('k', work)).resolves.toBe('was held');
    vi.restoreAllMocks();
    await expect(locks.withLocks(['k', 'l'], {}, work)).resolves.toBe('was held');
    vi.restoreAllMocks();
    const semaphore = locks.semaphore('s', { permits: 1 });
    await expect(semaphore.withPermit(work)).resolves.toBe('was held');
    expect(performance.now() - startedAt).toBeLessThan(options.sessionTimeoutMs / 6);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  },
);

it('does not call a lock held while that is uncertain, and does not tell a loss', async () => {
  const locks = await openLocks({ ...options, root: ownRoot() });
  await using lock = await locks.acquire('k');
  setWallClockForward();
  expect(lock.isHeld).toBe(false);
  expect(() => lock.assertHeld()).toThrow('was lost');
  await vi.waitFor(() => lock.assertHeld(), { timeout: options.sessionTimeoutMs / 7 });
  expect(lock.signal.aborted).toBe(false);
});
