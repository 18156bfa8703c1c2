import type { Transaction } from 'zk-client/recipes';

/** `write` excludes all others; `read` excludes writers only. */
export type LockMode = 'read' | 'write';

/** Whether a release waits for ZooKeeper's answer (`wait`), or only sends the request (`background`). */
export type ReleaseMode = 'wait' | 'background';

/**
 * A lock that is held, until it is released or lost.
 *
 * At any instant, only one writer, or only readers, have a `signal` that is not aborted, as long as
 * the process's clock runs at the right rate. A process that pauses for longer than its session (long
 * GC, SIGSTOP, VM pause) has lost its locks when it resumes: call `assertHeld()` before a step that must
 * not happen twice, and pass `fencingToken` to the resource, so that it can refuse a late write.
 */
export interface Lock extends AsyncDisposable {
  /** The key as the caller gave it. */
  readonly key: string;
  readonly mode: LockMode;
  /**
   * Rises with every grant of the same key, over the whole cluster, also after the lock's directory was
   * removed and created again. It is the creation zxid of the holder's znode × 1,024, plus the number of
   * the grant under this znode. A nested call has the token of the lock that it joins.
   */
  readonly fencingToken: bigint;
  /**
   * Aborts with a {@link LockLostError} as `reason` when the lock can no longer be guaranteed, at least
   * `marginMs` before ZooKeeper can grant it to another call. It does not abort on `release()`.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts with a {@link LockRevokedError} as `reason` when a process asks for the lock by `revoke()` or
   * Curator's `Revoker`. The lock is still held: release it soon, or go on.
   */
  readonly revoked: AbortSignal;
  /**
   * Whether the lock is held at this moment: computed from the clock, never cached. When the wall clock is
   * set forward beyond the lease, it is false until ZooKeeper has confirmed the session, which takes half of
   * `tickTimeMs` (1 s by default) and some round trips; the lock is not lost by that.
   */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when the lock was lost, also right after a pause of the process, before
   * `signal` has aborted
   * @throws {LockReleasedError} when it was released
   */
  assertHeld(): void;
  /**
   * Writes to ZooKeeper only while the lock is held: one transaction that also checks the lock's own
   * node. A holder that was paused for longer than its session writes nothing, without a resource that
   * compares tokens. Only with the client `wire`.
   *
   * @example
   * ```ts
   * await lock.transact((tx) => tx.set('/stock/7', '41').create('/orders/o-', order, { mode: 'persistent-sequential' }));
   * ```
   *
   * @param build adds the writes, outside of the option `root`; new nodes get the ACL of lock nodes
   * @returns the paths of the nodes, one for each write, with their sequence numbers
   * @throws {LockLostError} {@link LockReleasedError} nothing was written
   * @throws {LockTransactionUnknownError} the connection was lost before the answer
   * @throws {ZooKeeperError} (`outcome: 'definite'`) ZooKeeper refused a write; nothing was written
   * @throws {ZkLockConfigError} for a malformed write, or the client `native`; nothing was written
   */
  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]>;
  /**
   * Releases the lock. Idempotent, and never rejects: without a connection, the deletion of the znode is
   * repeated in the background until it is done or the session is over.
   *
   * Resolves when ZooKeeper has answered; at once with `release: 'background'`, and when the lock is kept
   * for the next call of this process.
   */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A read lock that can become a write lock. A key has one at a time, beside plain readers. */
export interface UpgradableLock extends Lock {
  readonly mode: 'read';
  /**
   * Waits until the other readers have left, then holds the key alone. No other writer gets in between,
   * even if it has waited longer, so that what was read before is still true. Releasing the result makes
   * this a read lock again. Releasing this lock also releases its upgrades, and ends those that wait. The
   * fencing token stays the same.
   *
   * `timeoutMs` counts from this call (default: the module's `acquireTimeoutMs`), and includes the wait
   * behind an earlier `upgrade()` of the same lock; with `0`, the call then rejects at once.
   *
   * @throws {LockTimeoutError} when readers stayed for longer; the read lock is still held
   * @throws {LockAbortedError} {@link ZooKeeperUnavailableError} {@link ZkClosedError} also leave
   * the read lock held
   * @throws {LockLostError} when the read lock was lost meanwhile
   * @throws {LockReleasedError} when the read lock was released
   * @throws {ZkLockConfigError}
   */
  upgrade(options?: UpgradeOptions): Promise<Lock>;
}

export type UpgradeOptions = Pick<AcquireOptions, 'timeoutMs' | 'signal'>;

/** Options of an upgradable lock, which never joins another lock. */
export type AcquireUpgradableOptions = Omit<AcquireOptions, 'mode' | 'reentrant'>;

export interface AcquireOptions {
  /** @default 'write' */
  mode?: LockMode;
  /**
   * The longest wait, in milliseconds: for a connection, the creation of the znode and the queue. `0`
   * tries once. `Infinity` waits until `signal` aborts or the service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number;
  /**
   * What the lock is for, shown to people who look at the queue. At most 200 characters, stored in clear
   * text: no secrets.
   */
  label?: string;
  /**
   * The name of all keys of this kind in metrics and traces, such as `order:{id}`. At most 200
   * characters. Decorators pass the text of their key. Without a pattern, a key with `${…}` or `{0}` is
   * refused, as a template that was not filled in.
   */
  pattern?: string;
  /**
   * Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. The signal of an
   * upgradable lock also ends its waiting upgrades.
   */
  signal?: AbortSignal;
  /**
   * Whether a call inside a section that holds the same key joins its lock. With `false` it queues like
   * any other call: for work that the section does not await. A section that awaits such a call waits for
   * itself, until `timeoutMs` is over.
   * @default true
   */
  reentrant?: boolean;
  /**
   * Whether the release, by `release()` or at the end of a section, waits for ZooKeeper's answer. With
   * `background` it resolves when the request has been sent. It is still repeated until the lock is free,
   * and a shutdown waits for it. Other calls get the lock as soon as with `wait`.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
}

export type TryAcquireOptions = Omit<AcquireOptions, 'timeoutMs'>;

/** Which contender `breakLock` takes the lock from: both must be those of one contender. */
export interface BreakOptions {
  /** The `node` of the contender, as `inspect` shows it. */
  node: string;
  /**
   * The `fencingToken` of the contender, as `inspect` shows it or its holder has logged it. For a node that
   * serves several calls (`holder.cohort`), that of any of them.
   */
  token: bigint;
  /**
   * Whether to delete also a node without holder data of this library: of Curator, of kazoo, or made by
   * hand. With the dialect `single-node`, also one without a guard: that can hit the next holder.
   * @default false
   */
  foreign?: boolean;
}

export interface InspectOptions {
  /**
   * Waits until this server has caught up with the leader, to see all that was committed before the call.
   * Costs one more round trip.
   * @default false
   */
  linearizable?: boolean;
  /**
   * The most contenders to read, from the head of the queue. Each is one request; they are sent together.
   * @default 100
   */
  limit?: number;
}
