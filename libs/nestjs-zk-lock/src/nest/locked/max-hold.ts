import { types } from 'node:util';
import { type Lock, LockHoldTimeoutError } from 'zk-locks';
import { LinkedSignal, runShowing } from 'zk-locks/internal';
import { TimedLock } from './timed-lock.js';

export interface TimedHold {
  readonly maxHoldMs: number;
  /** The lock that stands for all. */
  readonly lock: Lock;
  readonly all: readonly Lock[];
}

/**
 * Runs `section` with a lock whose signal aborts when its time is over; it is held all the same.
 *
 * @throws {LockHoldTimeoutError} where the section stopped for that
 */
export async function holdAtMost<T>(
  { maxHoldMs, lock, all }: TimedHold,
  section: (lock: Lock) => Promise<T>,
): Promise<T> {
  using end = new LinkedSignal([lock.signal]);
  const { signal } = end;
  const timeout = new LockHoldTimeoutError(lock.key, lock.mode, maxHoldMs);
  const timer = setTimeout(() => end.abort(timeout), maxHoldMs);
  const timed = (shown: Lock): Lock => new TimedLock(shown, signal);
  try {
    return await runShowing(all, timed, () => section(timed(lock)));
  } catch (error) {
    // Node's own functions reject with an AbortError whose cause is the signal's reason.
    if (signal.reason === timeout && types.isNativeError(error) && error.cause === timeout) {
      throw timeout;
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
