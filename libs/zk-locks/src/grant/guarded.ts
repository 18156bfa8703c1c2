import { types } from 'node:util';
import { checkOption } from '../options/table.js';
import { LockLostError } from '../lock-errors.js';

/** As much of a lock as guarded work needs. */
export interface Guard {
  readonly signal: AbortSignal;
  /** Resolves once it is certain whether it is held: at once, except after a jump of the clock. */
  whenCertain(): Promise<void>;
  /** Throws where it was lost; content with a lock that its own user has released. */
  throwIfLost(): void;
  release(): Promise<void>;
}

/** @throws {ZkLockConfigError} */
export function checkFunction(fn: unknown): asserts fn is (...args: never[]) => unknown {
  checkOption('fn', fn);
}

/**
 * Runs `work` under a lock that is held, and releases it when what `work` returns has settled.
 *
 * @throws what `work` throws
 * @throws {LockLostError} when the lock was lost before `work` had settled, even if it succeeded
 */
export async function runGuarded<T>(lock: Guard, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    const result = await work();
    await lock.whenCertain();
    lock.throwIfLost();
    return result;
  } catch (error) {
    // Work that stopped because its signal aborted has failed for the loss, not for itself.
    if (isAbortBy(lock.signal, error)) lock.throwIfLost();
    throw error;
  } finally {
    await lock.release();
  }
}

/**
 * Node's own functions reject with an AbortError whose cause is the signal's reason; of several locks
 * that were lost together, any may be that of the signal that the work had looked at.
 */
function isAbortBy(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted || !types.isNativeError(error)) return false;
  return error.cause === signal.reason || error.cause instanceof LockLostError;
}
