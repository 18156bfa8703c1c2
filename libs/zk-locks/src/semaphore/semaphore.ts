import type { Contender } from '../inspection/inspection.js';
import type { InspectOptions } from '../lock/lock.js';
import type { PermitOptions, TryPermitOptions } from '../options/permit-options.js';

/**
 * Permits of a semaphore that were granted together, until they are released or lost. They have no
 * fencing token, because several calls hold permits at the same time.
 */
export interface Permit extends AsyncDisposable {
  /** The semaphore's key as the caller passed it. */
  readonly key: string;
  /** The number of permits that were granted. */
  readonly permits: number;
  /**
   * Aborts with a {@link LockLostError} as `reason` when one of the permits can no longer be
   * guaranteed: before ZooKeeper can grant it to another call, unless someone has deleted its znode.
   * It does not abort on `release()`.
   */
  readonly signal: AbortSignal;
  /** Whether all permits are held right now: computed from the clock, like {@link Lock.isHeld}. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when one of the permits was lost
   * @throws {LockReleasedError} when they were released
   */
  assertHeld(): void;
  /** Releases all permits, like {@link Lock.release}. Idempotent, and never rejects. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Limits the number of permits held at a time, across all processes, to `permits`. In every
 * dialect, it is shared with Curator's `InterProcessSemaphoreV2`, but not with kazoo's `Semaphore`.
 *
 * Permits are granted first come, first served: a call that takes one permit never overtakes a call
 * that takes many. A semaphore and a lock cannot have the same key.
 *
 * It is not reentrant: every call takes permits of its own. A call inside a section that holds
 * permits can end up waiting for that section, until `timeoutMs` is over.
 *
 * Curator's `acquire(qty)` takes its leases one by one, so two such calls can each hold a part of
 * what the other needs. Here, a call takes all its permits in one turn.
 */
export interface Semaphore {
  readonly key: string;
  /**
   * Waits until it is this call's turn and enough permits are free.
   *
   * @throws {LockTimeoutError} after `timeoutMs`
   * @throws {LockAbortedError} when `signal` aborts first
   * @throws {LockDirectoryError} when the key is that of a lock, the queue contains foreign znodes,
   * or a sequence counter has reached its end
   * @throws {SharedCountError} when the znode of the shared count does not contain a count
   * @throws {ZkLockConfigError} when the call takes more permits than the fixed number, or other
   * processes have another fixed number
   * @throws {LockQueueFullError} at the module's `maxWaiting`
   * @throws {ZooKeeperError} when the server refuses a znode, for example because of a quota
   * @throws {LockAccessError} {@link ZooKeeperUnavailableError} {@link ZkClosedError}
   */
  acquire(options?: PermitOptions): Promise<Permit>;
  /**
   * Takes permits if enough are free and no call is ahead of this one, not even one whose permits
   * are just being granted. Writes nothing if reading is enough to decide that.
   *
   * @returns `null` when it would have to wait
   * @throws as {@link acquire}, except for `LockTimeoutError`
   */
  tryAcquire(options?: TryPermitOptions): Promise<Permit | null>;
  /**
   * Runs `fn` while permits are held, and releases them when `fn` has settled. Inside `fn`,
   * `currentPermit()` returns them.
   *
   * @throws whatever `fn` throws, otherwise what `acquire` throws
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when a permit was lost
   */
  withPermit<T>(fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  /**
   * Returns the current number of permits, free or not. For a shared count that has never been
   * used, returns its seed.
   *
   * @throws {ZooKeeperUnavailableError} if no answer arrives within the module's `connectTimeoutMs`
   * @throws {SharedCountError} {@link LockAccessError} {@link ZkClosedError}
   */
  permits(): Promise<number>;
  /**
   * Sets the shared count to 0 or more. Waiting calls notice immediately. A lower number takes no
   * permit away from a holder: the next permit is granted when enough permits have been released.
   * Of calls of one `Semaphore` object that overlap, the last one's number counts, and earlier numbers may be
   * skipped.
   *
   * @throws {ZkLockConfigError} when the number is fixed
   * @throws as {@link permits}
   */
  setPermits(permits: number): Promise<void>;
  /**
   * Lists the holders and the waiters in all processes. Writes nothing.
   *
   * @param options `limit` counts holders and waiters together
   * @throws as {@link permits}
   * @throws {LockDirectoryError} when the queue contains foreign znodes, or its sequence counter
   * has reached its end
   */
  inspect(options?: InspectOptions): Promise<SemaphoreInspection>;
}

/** A permit that is held, or a call that waits for permits, in any process. */
export type PermitContender = Omit<Contender, 'mode' | 'fencingToken'>;

/** A semaphore as it was at one instant. */
export interface SemaphoreInspection {
  readonly key: string;
  /** The number of permits, free or not. */
  readonly permits: number;
  /** One for each permit that is held, the oldest first. */
  readonly holders: readonly PermitContender[];
  /** The waiting calls, the next one first. */
  readonly waiters: readonly PermitContender[];
  /** The number of held permits and waiting calls, including those omitted because of `limit`. */
  readonly total: number;
  /**
   * The highest sequence number among leases and waiters, like {@link LockInspection.lastSequence};
   * absent without any.
   */
  readonly lastSequence?: number;
}
