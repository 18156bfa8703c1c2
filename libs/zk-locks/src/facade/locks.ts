import { type Classes, closeAll, compose, type Parts, startAll } from './compose.js';
import { registerCopy } from '../copies.js';
import type { ElectionOptions } from '../options/election-options.js';
import { LeaderElection } from '../election/leader-election.js';
import {
  guardLogger,
  type LockSession,
  silentLogger,
  ZkClient,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { currentLock, type OptionsAndWork, type Work } from '../grant/async-scope.js';
import type { DeadlockReport } from '../inspection/deadlocks.js';
import type { Contender, LockInspection } from '../inspection/inspection.js';
import type { AcquireOptions, AcquireUpgradableOptions, BreakOptions } from '../lock/lock.js';
import type { InspectOptions, Lock, TryAcquireOptions, UpgradableLock } from '../lock/lock.js';
import type { LastRun } from '../lock/last-run.js';
import type { RunOptions, RunResult } from '../runs/runs.js';
import { resolveLocksOptions, type LocksOptions } from '../options/locks-options.js';
import { acquireAll, type MultiLock, withAll } from '../multi/multi-lock.js';
import { type LockTarget, readCloseOptions, readStartOptions } from '../options/call-options.js';
import { tryOnce } from '../queue/single-try.js';
import { acquireUpgradable, withUpgradable } from '../read-write/upgradable.js';
import { ownFile, ownVersion } from '../own-file.js';
import type { Semaphore } from '../semaphore/semaphore.js';
import type { SemaphoreOptions } from '../options/permit-options.js';

registerCopy('zk-locks', ownVersion, ownFile);

/**
 * Distributed locks on one ZooKeeper session. Processes that use the same servers and the same `root` share
 * the locks.
 *
 * Locks are granted first come, first served across all processes. A wait that ends without the lock leaves
 * nothing behind in ZooKeeper.
 *
 * @example
 * ```ts
 * const locks = new Locks({ servers: 'zk1:2181,zk2:2181' });
 * await locks.start();
 * await locks.withLock('report', () => writeReport());
 * await locks.close();
 * ```
 */
export class Locks {
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  /**
   * Checks the options. Call {@link start} to connect.
   *
   * @param logger receives a few operational log lines; by default, none are written
   * @param connection the name of this connection in telemetry
   * @param classes the classes that `nestjs-zk-lock` uses in place of the default ones
   * @throws {ZkLockConfigError} naming the option that is unknown, missing or malformed
   */
  constructor(
    options: LocksOptions,
    logger: ZkLockLogger = silentLogger,
    connection = 'default',
    classes: Classes = { Election: LeaderElection, Client: ZkClient },
  ) {
    const resolved = resolveLocksOptions(options);
    this.#parts = compose(resolved, guardLogger(logger), connection, classes);
  }

  /** The ZooKeeper session behind these locks. */
  get session(): LockSession {
    return this.#parts.session;
  }

  /** Reads and writes your application's znodes on the same session. */
  get client(): ZkClient {
    return this.#parts.client;
  }

  /** The number of locks held and of calls waiting. The permits of one call count as one lock. */
  get counts(): { readonly held: number; readonly waiting: number } {
    return this.#parts.activeLocks.counts;
  }

  /** Aborts when closing begins. No lock is granted after that. */
  get closing(): AbortSignal {
    return this.#parts.activeLocks.closing;
  }

  /**
   * Connects, and resolves when the session is open. With `wait: false` it resolves immediately, and calls
   * wait for the connection within their own `timeoutMs`. If connecting fails, everything is closed.
   *
   * @throws {ZooKeeperUnavailableError} when connecting takes longer than `connectTimeoutMs`
   * @throws {ZkLockConfigError} for an option that is unknown or malformed, before it connects; when a server
   * grants a session timeout too short for `tickTimeMs` or `marginMs`; with `client: 'native'`, also when npm
   * `zookeeper` is missing or this is not the main thread
   * @throws {ZkClosedError} when the locks are already closed, or are closed in the meantime
   */
  async start(options?: { wait?: boolean | undefined }): Promise<void> {
    const { wait = true } = readStartOptions(options);
    await startAll(this.#parts, wait, () => this.close());
  }

  /**
   * Waits for a lock. Release it with `release()` or `await using`, or use {@link withLock} instead. Inside
   * `withLock()` of the same key, the call joins that lock unless `reentrant` is `false`.
   *
   * @example
   * ```ts
   * await using lock = await locks.acquire('report', { timeoutMs: 5_000 });
   * ```
   *
   * @param key any string; `/` and control characters are encoded. A key that contains `${…}` or `{0}` could
   * be a template that was not filled in, so it requires the option `pattern`
   * @throws {LockTimeoutError} after `timeoutMs` (default: `acquireTimeoutMs`, 30,000 ms)
   * @throws {LockAbortedError} when `signal` aborts first
   * @throws {LockQueueFullError} when `maxWaiting` calls are already waiting
   * @throws {LockUpgradeError} for a write lock inside a read lock of the same key
   * @throws {LockLostError} immediately, inside a section of the same key whose lock was lost
   * @throws {LockKeyError} when the key is empty, too long, or a template
   * @throws {LockDirectoryError} when the directory contains foreign znodes, or its sequence counter has
   * reached its end
   * @throws {ZkLockConfigError} for an option that is malformed, or that the dialect does not support
   * @throws {ZooKeeperError} when ZooKeeper refuses the znode (`ZK_QUOTA_EXCEEDED`, `ZK_LOCAL_SESSION`), or
   * the session has too many (`ZK_TOO_MANY_EPHEMERALS`)
   * @throws {LockAccessError} {@link ZooKeeperUnavailableError} {@link ZkClosedError}
   */
  acquire(key: string, options: AcquireOptions = {}): Promise<Lock> {
    return this.#parts.locks.acquire(key, options);
  }

  /**
   * Takes a lock if it is free, without waiting. A lock that another process may keep unused
   * (`holder.keepMs` in {@link inspect}) counts as busy. If this process also uses `keepMs`, the call
   * instead asks for that lock, and waits for 100 ms or a few round trips. With `cohort`, a reader may get
   * `null` while only readers of this process hold the lock, if the limits of the cohort have been reached.
   *
   * @returns `null` when the lock is busy
   * @throws as {@link acquire}, except for `LockTimeoutError`
   */
  async tryAcquire(key: string, options: TryAcquireOptions = {}): Promise<Lock | null> {
    return tryOnce(options, (once) => this.#parts.locks.acquire(key, once));
  }

  /**
   * Runs `fn` while holding the lock, and releases the lock when `fn` has settled.
   *
   * Inside `fn`, nested calls for the same key join the lock and get its fencing token. A nested read lock
   * can join a write lock; a write lock inside a read lock is refused.
   *
   * @example
   * ```ts
   * await locks.withLock(`order:${id}`, { mode: 'read' }, (lock) => load(id, lock.signal));
   * ```
   *
   * @throws as {@link acquire}
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when the lock was lost; an error of
   * `fn` stays as it is, unless its `cause` is the signal's `reason`
   */
  withLock<T>(key: string, fn: Work<Lock, T>): Promise<T>;
  withLock<T>(key: string, options: AcquireOptions, fn: Work<Lock, T>): Promise<T>;
  withLock<T>(key: string, ...rest: OptionsAndWork<AcquireOptions, Lock, T>): Promise<T> {
    return this.#parts.locks.withLock(key, rest);
  }

  /**
   * Waits for a read lock that can become a write lock. Use it for work that reads first and rarely writes.
   * Other readers can hold the key at the same time; a key has one upgradable lock at a time. A writer that
   * came later can be served before it. Requires the dialect `curator-rw`.
   *
   * @example
   * ```ts
   * await using lock = await locks.acquireUpgradable('stock:7');
   * if ((await stock('7')) < 10) {
   *   await using writing = await lock.upgrade();
   *   await reorder('7');
   * }
   * ```
   *
   * @throws as {@link acquire}
   * @throws {LockUpgradeError} inside any lock of the same key
   * @throws {ZkLockConfigError} with another dialect
   */
  async acquireUpgradable(
    key: string,
    options: AcquireUpgradableOptions = {},
  ): Promise<UpgradableLock> {
    return acquireUpgradable(this.#parts.locks, key, options);
  }

  /**
   * Like {@link withLock}, with a read lock that can become a write lock.
   *
   * @throws as {@link acquireUpgradable} and {@link withLock}
   */
  withUpgradableLock<T>(key: string, fn: Work<UpgradableLock, T>): Promise<T>;
  withUpgradableLock<T>(
    key: string,
    options: AcquireUpgradableOptions,
    fn: Work<UpgradableLock, T>,
  ): Promise<T>;
  withUpgradableLock<T>(
    key: string,
    ...rest: OptionsAndWork<AcquireUpgradableOptions, UpgradableLock, T>
  ): Promise<T> {
    return withUpgradable(this.#parts.locks, key, rest);
  }

  /**
   * Waits for the locks of several keys and takes all or none. All processes take them in the same order, so
   * two such calls never wait for each other.
   *
   * @example
   * ```ts
   * await using both = await locks.acquireAll([`account:${from}`, `account:${to}`]);
   * ```
   *
   * @param keys each a string, or `{ key, mode }`; a key that is listed twice is taken once
   * @param options as for {@link acquire}; `timeoutMs` covers all of them
   * @throws as {@link acquire}
   * @throws {LockLostError} when one was lost while the call waited for another
   * @throws {LockHoldTimeoutError} inside a section of one of the keys, when its `maxHoldMs` is over while
   * the call waits for another key
   */
  async acquireAll(keys: readonly LockTarget[], options: AcquireOptions = {}): Promise<MultiLock> {
    return acquireAll(this.#parts.locks, keys, options);
  }

  /**
   * Takes the locks of several keys if all are free, without waiting.
   *
   * @returns `null` when one of them is busy; the call then holds none of them
   * @throws as {@link acquireAll}, except for `LockTimeoutError`
   */
  async tryAcquireAll(
    keys: readonly LockTarget[],
    options: TryAcquireOptions = {},
  ): Promise<MultiLock | null> {
    return tryOnce(options, (once) => this.acquireAll(keys, once));
  }

  /**
   * Like {@link withLock}, with several keys. Inside `fn`, nested calls for one of the keys join its lock.
   *
   * @throws as {@link acquireAll} and {@link withLock}
   */
  withLocks<T>(keys: readonly LockTarget[], fn: Work<MultiLock, T>): Promise<T>;
  withLocks<T>(
    keys: readonly LockTarget[],
    options: AcquireOptions,
    fn: Work<MultiLock, T>,
  ): Promise<T>;
  withLocks<T>(
    keys: readonly LockTarget[],
    ...rest: OptionsAndWork<AcquireOptions, MultiLock, T>
  ): Promise<T> {
    return withAll(this.#parts.locks, keys, rest);
  }

  /**
   * Takes part in the election of one leader among all processes; the leader holds the key's write lock. The
   * process joins immediately, and queues again after a loss. Calls return the same object until it is
   * closed.
   *
   * @throws {LockKeyError} as {@link acquire}
   * @throws {ZkClosedError} once these locks are closed
   */
  election(key: string, options: ElectionOptions = {}): LeaderElection {
    return this.#parts.elections.join(key, options);
  }

  /**
   * Returns the semaphore of a key: at most `permits` permits are held at a time. Sends no request.
   *
   * @param key any string, but not the key of a lock
   * @param options `permits`: a number, the same in all processes, or `{ sharedCount, seed }`: the path of a
   * znode that stores the number, and its initial value
   * @throws {ZkLockConfigError} {@link LockKeyError} for malformed permits, path or key
   */
  semaphore(key: string, options: SemaphoreOptions): Semaphore {
    return this.#parts.semaphore(key, options);
  }

  /**
   * Lists the holders and the waiters of a lock in all processes. Writes nothing.
   *
   * @throws {LockKeyError} when the key is empty or too long
   * @throws {ZkLockConfigError} for a malformed option
   * @throws {ZooKeeperUnavailableError} if no answer arrives within `connectTimeoutMs`, or at once by
   * `failFastAfterMs`
   * @throws {LockDirectoryError} {@link LockAccessError} {@link ZkClosedError}
   */
  async inspect(key: string, options: InspectOptions = {}): Promise<LockInspection> {
    return this.#parts.inspector.inspect(key, options);
  }

  /**
   * Finds calls that wait for each other in a circle, over all keys and processes. It sees the locks of
   * `withLock()`, `withLocks()`, `@Locked` and `acquireAll()`, but neither those of plain `acquire()` nor
   * permits. Reads the queue of every key and up to 1,000 waiters. Writes nothing.
   *
   * @throws as {@link inspect}, except for `LockDirectoryError`
   */
  async deadlocks(): Promise<DeadlockReport> {
    return this.#parts.inspector.deadlocks();
  }

  /**
   * Asks all holders of a lock, in all processes, to release it: their `lock.revoked` aborts, and they
   * decide. Holders that use Curator's `makeRevocable()` are asked too. Nodes of other programs and nodes
   * that no session owns are left alone, because their holders would not notice.
   *
   * @returns how many holders were asked; 0 if the lock is free, or only held by such nodes
   * @throws as {@link inspect}
   */
  async revoke(key: string): Promise<number> {
    return this.#parts.inspector.revoke(key);
  }

  /**
   * Takes a lock away from the contender with the given znode and fencing token, and from no other. Its
   * process is notified and releases the lock; if it does not within a second, its znode is deleted. **This
   * breaks exclusion:** work that ignores its signal continues beside the next holder. Use {@link revoke} to
   * ask instead. With `marginMs`, the key's other upgradable locks wait until the work of a broken one has
   * ended.
   *
   * A znode with `holder.cohort` serves several calls of its process one after another, which other
   * processes cannot see: the call that has the lock now loses it, even while its process is stopped.
   *
   * @returns the contender that held the lock, or waited for it
   * @throws {LockNotBrokenError} when no contender has that znode and that token, when the token appears in
   * the data of znodes of several sessions, or when the znode belongs to another library and `foreign` is
   * not `true`; nothing was deleted
   * @throws as {@link inspect}
   */
  async breakLock(key: string, options: BreakOptions): Promise<Contender> {
    return this.#parts.inspector.breakLock(key, options);
  }

  /**
   * Lists the keys in use, in alphabetical order. Keys that were in use within about the last minute can be
   * included.
   *
   * @throws as {@link inspect}
   */
  async list(): Promise<string[]> {
    return this.#parts.inspector.list();
  }

  /**
   * Runs a job at most once every `everyMs` across all processes, by the clock of ZooKeeper's leader. A run
   * counts even if its process dies; the first call after that time runs the job again. Timers are not
   * exact: a run may start up to 10% early. Requires the client `wire`.
   *
   * @param key a fixed string: its record in `<root>-runs` stays
   * @param everyMs in milliseconds, the same in all processes
   * @param options for the wait for the lock; with `timeoutMs: 0`, a run can be missed after a crash
   * @throws as {@link withLock}
   */
  runAtMostEvery<T>(key: string, everyMs: number, fn: Work<Lock, T>): Promise<RunResult<T>>;
  runAtMostEvery<T>(
    key: string,
    everyMs: number,
    options: RunOptions,
    fn: Work<Lock, T>,
  ): Promise<RunResult<T>>;
  runAtMostEvery<T>(
    key: string,
    everyMs: number,
    ...rest: OptionsAndWork<RunOptions, Lock, T>
  ): Promise<RunResult<T>> {
    return this.#parts.runs.run(key, everyMs, rest);
  }

  /**
   * Returns the latest run of a job of {@link runAtMostEvery}: its process, times and outcome. Undefined
   * before the first run.
   *
   * @throws as {@link inspect}
   */
  async lastRun(key: string): Promise<LastRun | undefined> {
    return this.#parts.runs.last(key);
  }

  /**
   * Returns the innermost lock held around the calling code, of any connection, like the function
   * `currentLock()`.
   *
   * @param key considers only this connection's lock of this key
   * @throws {NoCurrentLockError} outside of a section that holds such a lock
   */
  currentLock(key?: string): Lock {
    return key === undefined ? currentLock() : this.#parts.locks.current(key);
  }

  /**
   * Prepares for {@link close}: rejects the calls that wait now; later calls wait for at most `longestMs`.
   * Leaves all elections, so that another process can lead immediately.
   */
  endWaits(longestMs: number): void {
    void this.#parts.elections.end();
    this.#parts.activeLocks.endWaits(longestMs);
  }

  /**
   * Leaves all elections, refuses new calls, rejects the waiting calls, gives holders `graceMs` (default: 0)
   * to finish, releases the locks that are still held, and ends the session. Idempotent.
   *
   * @throws {ZkLockConfigError} for an option that is unknown or malformed. The call closes everything
   * nevertheless, without a grace period of its own
   */
  async close(options?: { graceMs?: number | undefined }): Promise<void> {
    let graceMs = 0;
    try {
      ({ graceMs = 0 } = readCloseOptions(options));
    } finally {
      await (this.#closed ??= closeAll(this.#parts, graceMs));
    }
  }
}
