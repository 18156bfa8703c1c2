import { expect } from 'vitest';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import type { Granted } from '../workers/lock/protocol.js';
import type { LockWorker } from './lock-worker.js';
import { type TestLocks, untilWaiting } from './locks.js';

export interface Contest {
  readonly isGranted: boolean;
  /** Resolves once the waiter has the lock. Fails if the holder was not told of its loss before. */
  toldInTime(): Promise<void>;
}

/** Another process of this test waits for a lock that is held. */
export async function contest(lock: Lock, waiters: TestLocks): Promise<Contest> {
  let isGranted = false;
  const waiting = waiters.acquire(lock.key, { timeoutMs: 60_000 }).then((next) => {
    isGranted = true;
    return { next, wasTold: lock.signal.aborted };
  });
  await untilWaiting(waiters);
  return {
    get isGranted() {
      return isGranted;
    },
    async toldInTime() {
      const { next, wasTold: inTime } = await waiting;
      expect(inTime).toBe(true);
      expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
      await next.release();
    },
  };
}

/** The worker that holds a lock must be told of its loss before another one is granted it. */
export async function toldBeforeGrant(
  holder: LockWorker,
  held: Granted,
  waiting: Promise<Granted>,
): Promise<void> {
  const [lost, granted] = await Promise.all([holder.loss(held.lock), waiting]);
  expect(granted.at).toBeGreaterThan(lost.at);
  expect(BigInt(granted.fencingToken)).toBeGreaterThan(BigInt(held.fencingToken));
}
