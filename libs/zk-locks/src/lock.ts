import type { Transaction } from './transaction.js';

/** `write` excludes everybody; `read` excludes writers only. */
export type LockMode = 'read' | 'write';

/**
 * What a release waits for: until ZooKeeper has answered (`wait`), or only until it has been asked
 * (`background`).
 */
export type ReleaseMode = 'wait' | 'background';

/**
 * A lock that is held, until it is released or lost.
 *
 * Only one holder (one writer, or readers only) has an un-aborted `signal` at any instant, as long
 * as the process's clock runs at the right rate. A process that stalls for longer than its session
 * (a long GC, SIGSTOP, a paused VM) wakes up as a former holder: ask `assertHeld()` before the step
 * that must not happen twice, and pass `fencingToken` to the resource so that it can refuse a stale
 * writer.
 */
export interface Lock extends AsyncDisposable {
  /** The key as the caller gave it. */
  readonly key: string;
  readonly mode: LockMode;
  /**
   * Rises with every grant of the same key, over the whole cluster, even when the lock's directory
   * was removed and made again: the creation zxid of the holder's znode, shifted by ten bits, in
   * which the grants under one znode are counted. A nested acquire keeps the token of the holding it
   * joins.
   */
  readonly fencingToken: bigint;
  /**
   * Aborts with a {@link LockLostError} as `reason` once the lock can no longer be guaranteed, and
   * before ZooKeeper can give it to anybody else, by `marginMs` at least. It does not abort on `release()`.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts with a {@link LockRevokedError} as `reason` when somebody asks for the lock by `revoke()`,
   * or by Curator's `Revoker`. The lock is held all the same: give it back soon, or go on.
   */
  readonly revoked: AbortSignal;
  /** Whether the lock is held at this very moment: computed from the clock, never cached. */
  readonly isHeld: boolean;
  /**
   * @throws {LockLostError} when the lock was lost, also when the process has only just woken up
   * and nothing has told it yet
   * @throws {LockReleasedError} when it was released
   */
  assertHeld(): void;
  /**
   * Writes to ZooKeeper only while the lock is held: one transaction that also checks the lock's own
   * node. Unlike a fencing token, it needs no resource that compares tokens: a holder that was stopped
   * beyond its session, and goes on, writes nothing. Only with the client `wire`.
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
   * @throws {ZooKeeperError} (`outcome: 'definite'`) one of the writes is refused; nothing was written
   * @throws {ZkLockConfigError} a malformed write, or the client `native`; nothing was written
   */
  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]>;
  /**
   * Gives the lock back. Idempotent, and never rejects because ZooKeeper is away: the znode is then
   * deleted in the background until it is gone or its session is certainly over. Releasing a lost
   * lock only cleans up.
   *
   * Resolves when ZooKeeper has answered; at once where the lock was taken with
   * `release: 'background'`, or is kept for the next call of this process.
   */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A read lock that can become a write lock. There is one of them at a time for a key, beside plain
 * readers.
 */
export interface UpgradableLock extends Lock {
  readonly mode: 'read';
  /**
   * Waits until the other readers have left, and then holds the key alone. No other writer gets in
   * between, also not one that has waited for longer, so that what was read before is still true.
   * Giving the result back makes it a reader again; the fencing token stays the same throughout.
   * Giving back this lock gives back its upgrades as well, and ends one that waits.
   *
   * `timeoutMs` is counted from this call, whatever time the lock itself took; its default is the
   * module's `acquireTimeoutMs`. It includes the wait behind an earlier `upgrade()` of the same lock
   * that goes on: with `0`, the call is refused at once then.
   *
   * @throws {LockTimeoutError} when readers stayed for longer; it is still held for reading then
   * @throws {LockAbortedError} {@link ZooKeeperUnavailableError} {@link LockServiceClosedError} as
   * well without losing the read lock by itself
   * @throws {LockLostError} when it was lost meanwhile
   * @throws {LockReleasedError} when it was released
   * @throws {ZkLockConfigError}
   */
  upgrade(options?: UpgradeOptions): Promise<Lock>;
}

export type UpgradeOptions = Pick<AcquireOptions, 'timeoutMs' | 'signal'>;

/** What an upgradable lock is taken with; it never joins another one. */
export type AcquireUpgradableOptions = Omit<AcquireOptions, 'mode' | 'reentrant'>;

export interface AcquireOptions {
  /** @default 'write' */
  mode?: LockMode;
  /**
   * The longest wait in milliseconds, over everything: waiting for a connection, creating the
   * znode and queueing. `0` tries once. `Infinity` waits until `signal` aborts or the service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number;
  /**
   * Says what the lock is wanted for, to people who look at the queue; at most 200 characters, in
   * clear text, so no secrets.
   */
  label?: string;
  /**
   * Stands for all keys of this kind in metrics and traces, where each key would be too many, as
   * `order:{id}`; at most 200 characters. Decorators give the text of their key. Without a pattern, a
   * key with `${…}` or `{0}` is refused: it is the text of a template that nothing has filled in.
   */
  pattern?: string;
  /**
   * Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. With an
   * upgradable lock that goes for its upgrades as well.
   */
  signal?: AbortSignal;
  /**
   * Whether a call inside a section that holds the same key joins that holding. With `false` it
   * queues up like any other call, for work that a section leaves behind; a section that waits for
   * such a call waits for itself, until `timeoutMs` is over.
   * @default true
   */
  reentrant?: boolean;
  /**
   * Whether the release, be it by `release()` or at the end of a section, waits for ZooKeeper's
   * answer. In the `background` the request has been sent when the release resolves, and everything
   * else is the same: it is repeated until the lock is free, and a shutdown waits for it. Others get
   * the lock as soon as with `wait`; only this call does not know when.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
  /**
   * How long before the lease deadline the lock counts as lost, in milliseconds, for work that takes
   * some time to stop: see the module's option. Calls that share one grant (nested ones, those of a
   * cohort) share the largest of their margins. A {@link ZkLockConfigError} where it is too long for
   * the session; where a reconnect makes it so, the lock is lost with `session-too-short`.
   * @default the module's `marginMs` (0)
   */
  marginMs?: number;
}

export type TryAcquireOptions = Omit<AcquireOptions, 'timeoutMs'>;

/** What `breakLock` is told. */
export interface BreakOptions {
  /** `fencingToken` of the lock, as `inspect` shows it, or as its holder has logged it. */
  token: bigint;
  /**
   * Also a node without holder data of this library: one of Curator, of kazoo, or made by hand.
   * @default false
   */
  foreign?: boolean;
}

export interface InspectOptions {
  /**
   * Looks only once this server has caught up with the leader, so that everything is seen that was
   * committed before the call. Costs one more round trip.
   * @default false
   */
  linearizable?: boolean;
  /**
   * The most contenders to read, from the head of the queue: each is a request of its own, all of
   * them sent together.
   * @default 100
   */
  limit?: number;
}
