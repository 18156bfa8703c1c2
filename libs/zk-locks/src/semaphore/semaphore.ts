import type { InspectOptions } from '../lock/lock.js';
import type { HolderData } from '../lock/holder.js';
import type { PermitOptions, TryPermitOptions } from '../options/permit-options.js';

/**
 * Permits of a semaphore that were granted together, until they are released or lost. They have no
 * fencing token, since several calls hold permits at the same time.
 */
export interface Permit extends AsyncDisposable {
  /** The semaphore's key as the caller gave it. */
  readonly key: string;
  /** How many were granted. */
  readonly permits: number;
  /**
   * Aborts with a {@link LockLostError} as `reason` when one of them can no longer be guaranteed, before
   * ZooKeeper can grant it to another call. It does not abort on `release()`.
   */
  readonly signal: AbortSignal;
  /** Whether all of them are held at this moment: computed from the clock, as {@link Lock.isHeld}. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when one of them was lost
   * @throws {LockReleasedError} when they were released
   */
  assertHeld(): void;
  /** Releases all of them, as {@link Lock.release}. Idempotent, and never rejects. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * At most `permits` permits are held at a time, over all processes. It is shared with Curator's
 * `InterProcessSemaphoreV2` in every dialect, but not with kazoo's `Semaphore`.
 *
 * Permits are granted first come, first served: a call that wants one does not pass a call that wants
 * many. A semaphore and a lock cannot have the same key.
 *
 * It is not reentrant: every call takes permits of its own. A call inside a section that holds permits can
 * wait for that section, until `timeoutMs` is over.
 *
 * Curator's `acquire(qty)` takes its leases one by one: two such calls can each hold a part of what the
 * other needs. Here, a call takes all its permits in one turn.
 */
export interface Semaphore {
  readonly key: string;
  /**
   * Waits until it is this call's turn and enough permits are free.
   *
   * @throws {LockTimeoutError} after `timeoutMs`
   * @throws {LockAbortedError} when `signal` aborted first
   * @throws {LockDirectoryError} when the key is that of a lock, the queue has foreign znodes, or a
   * sequence counter is at its end
   * @throws {SharedCountError} when the znode of the shared count does not hold a count
   * @throws {ZkLockConfigError} for more permits than the fixed number, and when other processes have
   * another fixed number
   * @throws {LockAccessError} {@link ZooKeeperUnavailableError} {@link ZkClosedError}
   */
  acquire(options?: PermitOptions): Promise<Permit>;
  /**
   * Takes permits if they are free and no call is before this one, not even one that is being granted its
   * permits. Writes nothing if it finds that out by reading.
   *
   * @returns `null` when it would have to wait
   * @throws as {@link acquire}, except for `LockTimeoutError`
   */
  tryAcquire(options?: TryPermitOptions): Promise<Permit | null>;
  /**
   * Runs `fn` while permits are held, and releases them when `fn` has settled. Inside `fn`,
   * `currentPermit()` returns them.
   *
   * @throws what `fn` throws, else what `acquire` throws
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when a permit was lost
   */
  withPermit<T>(fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  /**
   * The present number of permits, free or not. For a shared count that was not used yet, its seed.
   *
   * @throws {ZooKeeperUnavailableError} without an answer within the module's `connectTimeoutMs`
   * @throws {SharedCountError} {@link LockAccessError} {@link ZkClosedError}
   */
  permits(): Promise<number>;
  /**
   * Changes the shared count, to 0 or more. Waiting calls notice at once. A lower number takes no permit
   * from a holder: the next one is granted when enough permits were released.
   *
   * @throws {ZkLockConfigError} when the number is fixed
   * @throws as {@link permits}
   */
  setPermits(permits: number): Promise<void>;
  /**
   * Lists the holders and the waiters, in all processes. Writes nothing.
   *
   * @param options `limit` counts holders and waiters together
   * @throws as {@link permits}
   * @throws {LockDirectoryError} when the queue has foreign znodes, or its sequence counter is at its end
   */
  inspect(options?: InspectOptions): Promise<SemaphoreInspection>;
}

/** A permit that is held, in this process or another. */
export interface PermitHolder {
  /** The name of its znode, the lease. */
  readonly node: string;
  /** False for a znode that no session owns: it was made by hand, and stays until it is deleted. */
  readonly isEphemeral: boolean;
  /** When ZooKeeper created its znode, by the server's clock. */
  readonly since: Date;
  /** What its znode says about its process; undefined for other libraries. */
  readonly holder: HolderData | undefined;
}

/** A call that waits for permits. */
export interface PermitWaiter {
  /** The name of its znode in the queue. */
  readonly node: string;
  /** As in {@link PermitHolder}. */
  readonly isEphemeral: boolean;
  /** When ZooKeeper created its znode, by the server's clock. */
  readonly queuedAt: Date;
  readonly holder: HolderData | undefined;
}

/** A semaphore as it was at one instant. */
export interface SemaphoreInspection {
  readonly key: string;
  /** The number of permits, free or not. */
  readonly permits: number;
  /** One for each permit that is held, the oldest first. */
  readonly holders: readonly PermitHolder[];
  /** The waiting calls, the next one first. */
  readonly waiters: readonly PermitWaiter[];
  /** The number of held permits and waiting calls, including those that `limit` leaves out. */
  readonly total: number;
  /**
   * The highest sequence number among leases and waiters, as {@link LockInspection.lastSequence}; absent
   * without any.
   */
  readonly lastSequence?: number;
}
