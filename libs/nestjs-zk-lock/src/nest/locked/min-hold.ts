import type { Lock } from 'zk-locks';
import { LinkedSignal } from 'zk-locks/internal';

/** What runs under locks: that which stands for all of them, and all. */
export type LockedWork<T> = (lock: Lock, all: readonly Lock[]) => Promise<T>;

export interface MinHold {
  readonly minHoldMs: number;
  /** Aborts when nothing is kept any more. */
  readonly closing: AbortSignal;
}

/**
 * Runs `work` under a lock that is kept for some time, also after it has settled: its outcome is told
 * then, and not when the lock goes.
 *
 * @param take takes the lock, and releases it when what it was given has settled
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
      // Of a lock that is lost, whoever holds it tells: here is nothing to keep.
      if (leftMs > 0 && lock.isHeld) {
        outcome.then(resolve, reject);
        await keep(leftMs, [lock.signal, closing]);
      }
      return outcome;
    });
    kept.then(resolve, reject);
  });
}

/** Waits, but not after one of the signals has aborted. */
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
