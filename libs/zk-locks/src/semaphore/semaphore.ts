import type { InspectOptions, ReleaseMode } from '../lock.js';
import type { HolderData } from '../queue/holder-data.js';

/** What a semaphore is, in all processes that use its key. */
export interface SemaphoreOptions {
  /**
   * A number from 1 to 8,000, the same in all processes: a call of a process that names another one
   * than the others is refused. Or a shared count, which can be changed while the semaphore is in use.
   */
  permits: number | SharedCount;
  /**
   * Stands for all keys of this kind in metrics and traces, as {@link AcquireOptions.pattern}, where a
   * call does not say. With it, the key may have `${…}` and `{0}`.
   */
  pattern?: string | undefined;
}

/** A number of permits that is kept in a znode, as Curator's `SharedCount` keeps it. */
export interface SharedCount {
  /** The path of that znode, below the chroot of the connect string; not below the module's `root`. */
  sharedCount: string;
  /** What is written there when there is no such znode yet, from 0 on. */
  seed: number;
}

export interface PermitOptions {
  /**
   * How many are taken together, all or none; at most 8,000, each of which is a znode.
   * @default 1
   */
  permits?: number;
  /**
   * The longest wait in milliseconds, over everything: waiting for a connection, queueing, and
   * waiting for permits to come back. `0` tries once. `Infinity` waits until `signal` aborts or the
   * service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number;
  /**
   * Says what the permits are wanted for, to people who look at the semaphore; at most 200
   * characters, in clear text, so no secrets.
   */
  label?: string;
  /** Stands for all keys of this kind in metrics and traces, as {@link AcquireOptions.pattern}. */
  pattern?: string;
  /** Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal;
  /**
   * Whether the release waits for ZooKeeper's answer, as {@link AcquireOptions.release}.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
  /**
   * How long before the lease deadline the permits count as lost, as {@link AcquireOptions.marginMs}.
   * @default the module's `marginMs` (0)
   */
  marginMs?: number;
}

export type TryPermitOptions = Omit<PermitOptions, 'timeoutMs'>;

/**
 * Permits of a semaphore that were granted together, until they are released or lost.
 *
 * It has no fencing token: several holders are let in at once, so that no number could tell a stale
 * one from the others.
 */
export interface Permit extends AsyncDisposable {
  /** The semaphore's key as the caller gave it. */
  readonly key: string;
  /** How many it stands for. */
  readonly permits: number;
  /**
   * Aborts with a {@link LockLostError} as `reason` once one of them can no longer be guaranteed, and
   * before ZooKeeper can give it to anybody else. It does not abort on `release()`.
   */
  readonly signal: AbortSignal;
  /** Whether all of them are held at this very moment: computed from the clock, never cached. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when one of them was lost
   * @throws {LockReleasedError} when they were released
   */
  assertHeld(): void;
  /** Gives all of them back. Idempotent, and never rejects; as {@link Lock.release}. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Lets so many in at a time, over all processes: Curator's `InterProcessSemaphoreV2`, with which it
 * is shared whatever the module's `dialect` says. kazoo's `Semaphore` has another layout and is not.
 *
 * Permits are granted first come, first served: who wants many is not overtaken by those who want
 * one, and they wait behind it. A semaphore and a lock cannot have the same key.
 *
 * It is not reentrant: every call takes permits of its own, so that a call inside a section that
 * holds permits may wait for that section, until `timeoutMs` is over.
 *
 * Curator's own `acquire(qty)` takes its leases one by one and lets others in between, so that two
 * such calls may each hold a part of what the other one needs. Here all are taken in one turn.
 */
export interface Semaphore {
  readonly key: string;
  /**
   * Waits until it is this call's turn and as many permits are free as it wants.
   *
   * @throws {LockTimeoutError} when that took longer than `timeoutMs`
   * @throws {LockAbortedError} when `signal` aborted first
   * @throws {LockDirectoryError} when the key is that of a lock, foreign znodes lie in the queue, or a
   * sequence counter has reached its end
   * @throws {SharedCountError} when the znode of the shared count holds something else
   * @throws {ZkLockConfigError} for more permits than a fixed number of them, and where other processes
   * name another fixed number
   * @throws {LockAccessError} {@link ZooKeeperUnavailableError} {@link LockServiceClosedError}
   */
  acquire(options?: PermitOptions): Promise<Permit>;
  /**
   * Takes permits if they are free and nobody is before this call, be it one whose permits are just
   * being granted. Writes nothing where it can see that they are not.
   *
   * @returns `null` when it would have to wait
   * @throws as {@link acquire}, except for `LockTimeoutError`
   */
  tryAcquire(options?: TryPermitOptions): Promise<Permit | null>;
  /**
   * Runs `fn` while permits are held, and releases them when what `fn` returns has settled. Within
   * `fn`, `currentPermit()` gives them.
   *
   * @throws what `fn` throws, else what `acquire` throws
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when one was lost meanwhile
   */
  withPermit<T>(fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | PromiseLike<T>): Promise<T>;
  /**
   * How many permits there are at present, taken or not. A shared count that nobody has used yet is
   * its seed.
   *
   * @throws {ZooKeeperUnavailableError} without an answer within the module's `connectTimeoutMs`
   * @throws {SharedCountError} {@link LockAccessError} {@link LockServiceClosedError}
   */
  permits(): Promise<number>;
  /**
   * Changes the shared count, from 0 on. Those who wait take notice at once. Fewer permits than are
   * held take none away: the next ones are granted when enough have come back.
   *
   * @throws {ZkLockConfigError} where the number is fixed
   * @throws as {@link permits}
   */
  setPermits(permits: number): Promise<void>;
  /**
   * Who has permits and who waits for them, over all processes, without leaving a trace.
   *
   * @param options `limit` counts holders and waiters together
   * @throws as {@link permits}
   * @throws {LockDirectoryError} when foreign znodes lie in the queue, or its sequence counter has
   * reached its end
   */
  inspect(options?: InspectOptions): Promise<SemaphoreInspection>;
}

/** A permit that somebody has, in this process or in any other. */
export interface PermitHolder {
  /** The name of its znode, its lease. */
  readonly node: string;
  /** False for a znode that no session owns: it was made by hand, and stays until it is deleted. */
  readonly isEphemeral: boolean;
  /** When ZooKeeper created its node, by the server's clock. */
  readonly since: Date;
  /** Who it says it is; undefined for other libraries. */
  readonly holder: HolderData | undefined;
}

/** Somebody who waits for permits. */
export interface PermitWaiter {
  /** The name of its znode in the queue. */
  readonly node: string;
  /** As in {@link PermitHolder}. */
  readonly isEphemeral: boolean;
  /** When ZooKeeper created its node, by the server's clock. */
  readonly queuedAt: Date;
  readonly holder: HolderData | undefined;
}

/** A semaphore as it was at one instant. */
export interface SemaphoreInspection {
  readonly key: string;
  /** How many there are, taken or not. */
  readonly permits: number;
  /** One for each permit that is taken, the oldest first. */
  readonly holders: readonly PermitHolder[];
  /** Those who wait, the next one first. */
  readonly waiters: readonly PermitWaiter[];
  /** How many permits are taken and calls wait, also where `limit` left some of them out. */
  readonly total: number;
  /**
   * The highest sequence number among leases and waiters, as {@link LockInspection.lastSequence};
   * absent where there are neither.
   */
  readonly lastSequence?: number;
}
