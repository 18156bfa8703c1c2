import { types } from 'node:util';
import { type Lock, LockHoldTimeoutError, LockLostError, LockReleasedError } from 'zk-locks';
import { LinkedSignal, LockView, runShowing } from 'zk-locks/framework';

/** A granted lock. A test's replacement of a lock may have only the public members. */
interface GrantedLock extends Lock {
  /** What it may share with a section around it, whose time limit does not concern it. */
  readonly grant?: Pick<Lock, 'signal'>;
  /**
   * Resolves when it is certain whether the lock is held: immediately, except after a jump of the
   * clock.
   */
  whenCertain?(): Promise<void>;
}

/** The work under several locks: it gets the lock that stands for all of them, and all of them. */
export type LockedWork<T> = (lock: Lock, all: readonly GrantedLock[]) => Promise<T>;

export interface MinHold {
  readonly minHoldMs: number;
  /** Aborts when locks are no longer kept. A test's replacement of the service may not have it. */
  readonly closing: AbortSignal | undefined;
}

/**
 * Runs `work` under a lock that is kept for a minimum time, even after the work has settled. The
 * result is returned when the work settles, not when the lock is released.
 *
 * @param take takes the lock, and releases it when the work it was given has settled
 */
export function holdAtLeast<T>(
  { minHoldMs, closing }: MinHold,
  take: (work: LockedWork<T>) => Promise<T>,
  work: LockedWork<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const kept = take(async (lock, all) => {
      const grantedAt = performance.now();
      const outcome = work(lock, all);
      await outcome.catch(() => undefined);
      const leftMs = Math.ceil(grantedAt + minHoldMs - performance.now());
      const isLost = all.some(({ signal }) => signal.reason instanceof LockLostError);
      if (leftMs > 0 && !isReleased(lock) && !isLost) {
        // Not while the clock cannot tell whether it is held: it may turn out to be lost, and then
        // `kept` rejects.
        void Promise.all(all.map(async (one) => one.whenCertain?.())).then(() => {
          if (all.every(({ isHeld }) => isHeld)) outcome.then(resolve, reject);
        });
        const ends = all.map(({ grant, signal }) => grant?.signal ?? signal);
        await keep(leftMs, closing ? [...ends, closing] : ends);
      }
      return outcome;
    });
    kept.then(resolve, reject);
  });
}

/** Whether the work has released it. */
function isReleased(lock: Lock): boolean {
  try {
    lock.assertHeld();
    return false;
  } catch (error) {
    return error instanceof LockReleasedError;
  }
}

/** Waits for `ms`, or until one of the signals aborts. */
async function keep(ms: number, ends: readonly AbortSignal[]): Promise<void> {
  using end = new LinkedSignal(ends);
  const { signal } = end;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

export interface TimedHold {
  readonly maxHoldMs: number;
  /** The lock that stands for all. */
  readonly lock: Lock;
  readonly all: readonly Lock[];
}

/**
 * Runs `section` with a lock whose signal aborts when its time is over; the lock is still held
 * then.
 *
 * @throws {LockHoldTimeoutError} when the section stopped for that reason
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

/** A lock whose holding time is limited: its signal also aborts when the time is over. */
export class TimedLock extends LockView {
  constructor(
    lock: Lock,
    private readonly untilTimeIsUp: AbortSignal,
  ) {
    super(lock);
  }

  override get signal(): AbortSignal {
    return this.untilTimeIsUp;
  }
}
