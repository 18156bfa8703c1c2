import type { Transaction } from 'zk-client/recipes';

/** `write` excludes all other holders; `read` excludes only writers. */
export type LockMode = 'read' | 'write';

/**
 * Whether a release waits for ZooKeeper's answer (`wait`) or only sends the request (`background`).
 */
export type ReleaseMode = 'wait' | 'background';

/**
 * A lock that is held until it is released or lost.
 *
 * As long as the process's clock runs at the right rate, at most one writer, or several readers and
 * no writer, have a `signal` that is not aborted. A process that pauses for longer than its session
 * timeout (long GC, SIGSTOP, VM pause) has lost its locks when it resumes. Call `assertHeld()`
 * before a step that must not happen twice, and pass `fencingToken` to the resource, so that the
 * resource can refuse a late write.
 */
export interface Lock extends AsyncDisposable {
  /** The key as the caller passed it. */
  readonly key: string;
  readonly mode: LockMode;
  /**
   * If two grants of a key exclude each other, the later one has the higher token, across the whole cluster,
   * even after the lock's directory was removed and created again. It is the creation zxid of the holder's
   * znode × 1,024, plus a number below 1,024. A nested call gets the token of the lock that it joins.
   */
  readonly fencingToken: bigint;
  /**
   * Aborts with a {@link LockLostError} as `reason` when the lock can no longer be guaranteed: at least
   * `marginMs` before its session can end, and also when its znode was deleted or broken. It does not
   * abort on `release()`.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts with a {@link LockRevokedError} as `reason` when a process asks for the lock with
   * `revoke()` or Curator's `Revoker`. The lock is still held: release it soon, or carry on.
   */
  readonly revoked: AbortSignal;
  /**
   * Whether the lock is held right now: computed from the clock, never cached. When the wall clock
   * is stepped forward beyond the lease, it is false until ZooKeeper has confirmed the session,
   * which takes half of `tickTimeMs` (1 s by default) plus some round trips. The step itself does
   * not lose the lock.
   */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when the lock was lost, even right after a pause of the process, before
   * `signal` has aborted; also while the clock cannot tell, see `isHeld`
   * @throws {LockReleasedError} when the lock was released
   */
  assertHeld(): void;
  /**
   * Writes to ZooKeeper only while the lock is held, in one transaction that also checks the lock's
   * own node. A holder that was paused for longer than its session timeout writes nothing, and no
   * resource has to compare tokens. Requires the client `wire`.
   *
   * @example
   * ```ts
   * await lock.transact((tx) => tx.set('/stock/7', '41').create('/orders/o-', order, { mode: 'persistent-sequential' }));
   * ```
   *
   * @param build adds the writes; their paths are outside of the option `root` and of `<root>-runs`, and
   * new nodes get the ACL that the option `acl` names
   * @returns the paths of the nodes, one for each write, including their sequence numbers
   * @throws {LockLostError} {@link LockReleasedError} nothing was written
   * @throws {LockTransactionUnknownError} the connection was lost before the answer arrived
   * @throws {ZooKeeperError} (`outcome: 'definite'`) ZooKeeper refused a write; nothing was written
   * @throws {ZkLockConfigError} for a malformed write, or with the client `native`; nothing was
   * written
   */
  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]>;
  /**
   * Releases the lock. Idempotent, and never rejects: without a connection, the deletion of the
   * znode is retried in the background until it succeeds or the session has ended.
   *
   * Resolves when ZooKeeper has answered, or cannot be reached. It resolves immediately with
   * `release: 'background'`, with `cohort` if the lock is kept or passed on within this process, and
   * while joined calls still hold it; if these only read, a writer's release resolves when a reader's
   * znode has replaced its own. If ZooKeeper has answered nothing for 800 ms, a cohort waits for an
   * answer before it passes the lock on: usually for a round trip, and for at most a third of the session
   * timeout if the connection is dead.
   */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A read lock that can become a write lock. A key has one at a time, alongside plain readers. */
export interface UpgradableLock extends Lock {
  readonly mode: 'read';
  /**
   * Waits until the other readers have left, then holds the key exclusively. No other writer gets
   * the lock in between, even if it has waited longer, so what was read before is still true.
   * Releasing the result makes this lock a read lock again. Releasing this lock also releases its
   * upgrades and ends those that still wait. The fencing token stays the same.
   *
   * `timeoutMs` counts from this call (default: the module's `acquireTimeoutMs`) and includes the
   * wait behind an earlier `upgrade()` of the same lock. With `0`, the call rejects immediately in
   * that case.
   *
   * @throws {LockTimeoutError} when readers stayed longer than that; the read lock is still held
   * @throws {LockAbortedError} {@link ZooKeeperUnavailableError} {@link ZkClosedError} the read
   * lock is still held
   * @throws {LockLostError} when the read lock was lost in the meantime
   * @throws {LockReleasedError} when the read lock was released
   * @throws {LockDirectoryError} {@link LockAccessError} {@link ZooKeeperError} the read lock is still
   * held
   * @throws {ZkLockConfigError}
   */
  upgrade(options?: UpgradeOptions): Promise<Lock>;
}

export type UpgradeOptions = Pick<AcquireOptions, 'timeoutMs' | 'signal'>;

/** Options of an upgradable lock, which never joins another lock. */
export type AcquireUpgradableOptions = Omit<AcquireOptions, 'mode' | 'reentrant'>;

export interface AcquireOptions {
  /** @default 'write' */
  mode?: LockMode | undefined;
  /**
   * The longest wait, in milliseconds, for a connection, the creation of the znode, and the queue.
   * `0` tries once. `Infinity` waits until `signal` aborts or the service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number | undefined;
  /**
   * What the lock is for, shown to people who inspect the queue. At most 200 characters, stored in
   * clear text, so it must not contain secrets.
   */
  label?: string | undefined;
  /**
   * The common name of all keys of this kind in metrics and traces, such as `order:{id}`. At most
   * 200 characters. Decorators pass the text of their key. Without a pattern, a key that contains
   * `${…}` or `{0}` is refused as a template that was not filled in.
   */
  pattern?: string | undefined;
  /**
   * Stops the wait when it aborts; the call then rejects with a {@link LockAbortedError}. The
   * signal of an upgradable lock also ends the waits of its upgrades.
   */
  signal?: AbortSignal | undefined;
  /**
   * Whether a call inside a section that holds the same key joins its lock. With `false`, it queues
   * like any other call; use that for work that the section does not await. A section that awaits
   * such a call waits for itself until `timeoutMs` is over.
   * @default true
   */
  reentrant?: boolean | undefined;
  /**
   * Whether the release, by `release()` or at the end of a section, waits for ZooKeeper's answer.
   * With `background`, it resolves when the request has been sent. The request is still retried
   * until the lock is free, and a shutdown waits for it. Other calls get the lock as soon as with
   * `wait`.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode | undefined;
}

export type TryAcquireOptions = Omit<AcquireOptions, 'timeoutMs'>;

/**
 * The contender that `breakLock` takes the lock from: both values must belong to the same
 * contender.
 */
export interface BreakOptions {
  /** The contender's `node`, as shown by `inspect`. */
  node: string;
  /**
   * The contender's `fencingToken`, as shown by `inspect` or logged by its holder. For a node that
   * serves several calls (`holder.cohort`), pass the token of any of them.
   */
  token: bigint;
  /**
   * Whether to also delete a node without holder data of this library: one of Curator or kazoo, or
   * one created by hand. With the dialect `single-node`, this includes a node without a guard;
   * deleting that can hit the next holder.
   * @default false
   */
  foreign?: boolean | undefined;
}

export interface InspectOptions {
  /**
   * Waits until the server has caught up with the leader, so that you see everything that was
   * committed before the call. Costs one more round trip.
   * @default false
   */
  linearizable?: boolean | undefined;
  /**
   * The maximum number of contenders to read, from the head of the queue. Each takes two requests, one
   * after the other; those of different contenders are sent together.
   * @default 100
   */
  limit?: number | undefined;
}
