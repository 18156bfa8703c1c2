import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { ElectionOptions } from '../locks/election/election-options.js';
import type { LeaderElection } from '../locks/election/leader-election.js';
import type { LockInspection } from '../locks/inspection/inspection.js';
import type { LockManager } from '../locks/lock-manager.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  InspectOptions,
  Lock,
  TryAcquireOptions,
  UpgradableLock,
} from '../locks/lock.js';
import type { Semaphore, SemaphoreOptions } from '../locks/semaphore/semaphore.js';
import type { LockTarget, MultiLock } from '../locks/multi/multi-lock.js';
import type { SessionSnapshot, SessionState } from '../session/session-state.js';
import { AgreedPermits } from './feature/agreed-permits.js';
import { NoCurrentLockError } from './guarded/guarded-errors.js';
import type { ResolvedModuleOptions } from './zk-lock.options.js';

/**
 * A view of the ZooKeeper session behind the locks.
 *
 * @publicApi
 */
export interface LockSession {
  /** The session's state now, and every change of it. */
  readonly state$: Observable<SessionState>;
  /** A picture for logs and health checks, without credentials. */
  readonly snapshot: SessionSnapshot;
}

/**
 * Locks of one process.
 *
 * @publicApi
 */
export interface LockCounts {
  /** At this moment. */
  readonly held: number;
  /** At this moment. */
  readonly waiting: number;
  /** Calls since the start whose lock or permits were busy, so that `onBusy` answered them. */
  readonly skipped: number;
}

/**
 * Takes locks that all replicas of the application share. One per connection, provided by
 * `ZkLockModule`.
 *
 * Locks are granted first come, first served over the whole cluster. A wait that ends without the
 * lock leaves nothing behind in ZooKeeper.
 *
 * @publicApi
 */
export class LockService implements BeforeApplicationShutdown, OnApplicationShutdown {
  #skipped = 0;

  /** @internal */
  constructor(
    private readonly manager: LockManager,
    private readonly options: Omit<ResolvedModuleOptions, 'manager'>,
    /** @internal */
    readonly agreedPermits = new AgreedPermits(),
  ) {}

  /** The ZooKeeper session that all locks of this service share. */
  get session(): LockSession {
    return this.manager.session;
  }

  /**
   * How many locks this process holds, how many calls wait for one, and how many were skipped. The
   * permits of one call count as one lock.
   */
  get counts(): LockCounts {
    return { ...this.manager.counts, skipped: this.#skipped };
  }

  /** @internal */
  countSkipped(): void {
    this.#skipped++;
  }

  /**
   * Aborts when no locks are given out any more.
   * @internal
   */
  get closing(): AbortSignal {
    return this.manager.closing;
  }

  /** @internal */
  get mapsErrors(): boolean {
    return this.options.mapErrors;
  }

  /**
   * Waits for a lock and hands it over; give it back with `release()` or `await using`.
   * Prefer {@link withLock}, which cannot forget to.
   *
   * Inside a `withLock()` or `@Locked()` method with the same key it joins that holding at once,
   * unless `reentrant` is `false`.
   *
   * @example
   * ```ts
   * await using lock = await this.locks.acquire('report', { timeoutMs: 5_000 });
   * ```
   *
   * @param key any text; `/` and control characters are encoded. One with `${…}` or `{0}` needs the
   * option `pattern`, for it may be a template that nothing has filled in
   * @throws {LockTimeoutError} when it was not free within `timeoutMs` (30,000 ms unless the module
   * says otherwise)
   * @throws {LockAbortedError} when `signal` aborted first
   * @throws {LockUpgradeError} for a write lock inside a read lock of the same key
   * @throws {LockKeyError} when the key is empty, too long, or a template
   * @throws {LockDirectoryError} when foreign znodes lie in the lock's directory
   * @throws {LockAccessError} when ZooKeeper's ACLs refuse the lock's directory
   * @throws {ZooKeeperUnavailableError} when ZooKeeper could not be reached for long enough
   * @throws {LockServiceClosedError} when the application shuts down
   */
  acquire(key: string, options?: AcquireOptions): Promise<Lock> {
    return this.manager.acquire(key, options);
  }

  /**
   * Takes a lock if nobody is in the way, and does not wait for anybody.
   *
   * @example
   * ```ts
   * await using lock = await this.locks.tryAcquire('nightly-report');
   * if (lock) await this.report();
   * ```
   *
   * @returns `null` when it is busy
   * @throws as {@link acquire}, except for `LockTimeoutError`
   */
  tryAcquire(key: string, options?: TryAcquireOptions): Promise<Lock | null> {
    return this.manager.tryAcquire(key, options);
  }

  /**
   * Runs `fn` while holding the lock, and releases it whatever happens.
   *
   * Within `fn` the same key is reentrant: a nested call joins the holding and keeps its fencing
   * token. A read joins a write; a write inside a read cannot be granted.
   *
   * @example
   * ```ts
   * await this.locks.withLock(`order:${id}`, { mode: 'read' }, (lock) => this.load(id, lock.signal));
   * ```
   *
   * @throws as {@link acquire}
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when the lock was lost
   * meanwhile: what `fn` did may have met another holder
   */
  withLock<T>(key: string, fn: (lock: Lock) => T | PromiseLike<T>): Promise<T>;
  withLock<T>(
    key: string,
    options: AcquireOptions,
    fn: (lock: Lock) => T | PromiseLike<T>,
  ): Promise<T>;
  withLock<T>(
    key: string,
    ...rest:
      | [fn: (lock: Lock) => T | PromiseLike<T>]
      | [options: AcquireOptions, fn: (lock: Lock) => T | PromiseLike<T>]
  ): Promise<T> {
    const [options, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
    return this.manager.withLock(key, options ?? {}, fn);
  }

  /**
   * Waits for a read lock that can become a write lock, for work that reads first and seldom writes.
   * Other readers stay in meanwhile; of upgradable locks there is one at a time for a key.
   *
   * It costs one more node than a plain read lock, in a queue of its own, so that a writer that came
   * later than an upgradable reader may be served before it. Only with the dialect `curator-rw`, with
   * whose other readers and writers it works together.
   *
   * @example
   * ```ts
   * await using lock = await this.locks.acquireUpgradable('stock:7');
   * if ((await this.stock('7')) < 10) {
   *   await using writing = await lock.upgrade();
   *   await this.reorder('7');
   * }
   * ```
   *
   * @throws as {@link acquire}
   * @throws {LockUpgradeError} inside any lock of the same key
   * @throws {ZkLockConfigError} in another dialect
   */
  acquireUpgradable(key: string, options?: AcquireUpgradableOptions): Promise<UpgradableLock> {
    return this.manager.acquireUpgradable(key, options);
  }

  /**
   * Runs `fn` while holding a read lock that can become a write lock, and releases it whatever happens.
   *
   * @throws as {@link acquireUpgradable}
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when the lock was lost
   */
  withUpgradableLock<T>(key: string, fn: (lock: UpgradableLock) => T | PromiseLike<T>): Promise<T>;
  withUpgradableLock<T>(
    key: string,
    options: AcquireUpgradableOptions,
    fn: (lock: UpgradableLock) => T | PromiseLike<T>,
  ): Promise<T>;
  withUpgradableLock<T>(
    key: string,
    ...rest:
      | [fn: (lock: UpgradableLock) => T | PromiseLike<T>]
      | [options: AcquireUpgradableOptions, fn: (lock: UpgradableLock) => T | PromiseLike<T>]
  ): Promise<T> {
    const [options, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
    return this.manager.withUpgradableLock(key, options ?? {}, fn);
  }

  /**
   * Waits for the locks of several keys and hands them over together, all or none. They are taken
   * in one order, the same in all processes, whatever the order in which they are named.
   *
   * @example
   * ```ts
   * await using both = await this.locks.acquireAll([`account:${from}`, `account:${to}`]);
   * ```
   *
   * @param keys each a text, or `{ key, mode }`; a key that stands there twice is taken once, for
   * writing if one of them says so
   * @param options as for {@link acquire}; `timeoutMs` spans all of them
   * @throws as {@link acquire}
   * @throws {LockLostError} when one was lost while another was waited for
   */
  acquireAll(keys: readonly LockTarget[], options?: AcquireOptions): Promise<MultiLock> {
    return this.manager.acquireAll(keys, options);
  }

  /**
   * Takes the locks of several keys if nobody is in the way of any, and waits for nobody.
   *
   * @returns `null` when one of them is busy; none is held then
   * @throws as {@link acquireAll}, except for `LockTimeoutError`
   */
  tryAcquireAll(
    keys: readonly LockTarget[],
    options?: TryAcquireOptions,
  ): Promise<MultiLock | null> {
    return this.manager.tryAcquireAll(keys, options);
  }

  /**
   * As {@link withLock}, with the locks of several keys. Within `fn`, a nested call for one of them
   * joins it.
   *
   * @throws as {@link acquireAll}
   * @throws {LockLostError} after `fn` has settled, even if it succeeded, when one of them was lost
   */
  withLocks<T>(
    keys: readonly LockTarget[],
    fn: (lock: MultiLock) => T | PromiseLike<T>,
  ): Promise<T>;
  withLocks<T>(
    keys: readonly LockTarget[],
    options: AcquireOptions,
    fn: (lock: MultiLock) => T | PromiseLike<T>,
  ): Promise<T>;
  withLocks<T>(
    keys: readonly LockTarget[],
    ...rest:
      | [fn: (lock: MultiLock) => T | PromiseLike<T>]
      | [options: AcquireOptions, fn: (lock: MultiLock) => T | PromiseLike<T>]
  ): Promise<T> {
    const [options, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
    return this.manager.withLocks(keys, options ?? {}, fn);
  }

  /**
   * Takes part in the election of one leader among all replicas that ask for it: the write lock of
   * the key, held for as long as one leads. It joins at once, stays until `close()` or the shutdown
   * of the application, and queues up again by itself after a loss. While it is open, every call
   * with the same key answers the same object.
   *
   * @example
   * ```ts
   * const election = this.locks.election('scheduler');
   * const { signal } = await election.whenLeader();
   * await this.poll(signal);
   * ```
   *
   * @param key as for {@link acquire}
   * @throws {LockKeyError} when the key is empty, too long, or a template
   * @throws {LockServiceClosedError} when the application shuts down
   */
  election(key: string, options: ElectionOptions = {}): LeaderElection {
    return this.manager.election(key, options);
  }

  /**
   * The semaphore of a key, which lets so many in at a time. Asks nothing of ZooKeeper, so that it
   * can be made in a constructor.
   *
   * @example
   * ```ts
   * private readonly gpus = this.locks.semaphore('gpu', { permits: 4 });
   *
   * render = (job: Job) => this.gpus.withPermit(({ signal }) => this.farm.render(job, signal));
   * ```
   *
   * @param key any text; not the key of a lock
   * @param options `permits`, the same number in all processes, or `{ sharedCount, seed }`: the path
   * of a znode that keeps the number, and what to write there at first
   * @throws {ZkLockConfigError} for a number that is none, a path that ZooKeeper refuses, or another
   * number than `ZkLockModule.forFeature()` names for the key
   * @throws {LockKeyError} when the key is empty, too long, or a template
   */
  semaphore(key: string, options: SemaphoreOptions): Semaphore {
    const semaphore = this.manager.semaphore(key, options);
    this.agreedPermits.check(key, options.permits);
    return semaphore;
  }

  /**
   * Who holds a lock and who waits for it, over all processes, without leaving a trace.
   *
   * @param options `linearizable` (default `false`) sees everything that was committed before the
   * call, also on a server that lags behind; `limit` (default 100) is the most contenders to read
   * @throws {ZooKeeperUnavailableError} without an answer within the module's `connectTimeoutMs`
   * @throws {LockDirectoryError} when foreign znodes lie in the lock's directory
   * @throws {LockAccessError} when ZooKeeper's ACLs refuse the lock's directory
   * @throws {LockServiceClosedError} when the application shuts down
   */
  async inspect(key: string, options: InspectOptions = {}): Promise<LockInspection> {
    return this.manager.inspect(key, options);
  }

  /**
   * Asks whoever holds a lock to give it up, in whichever process: their `lock.revoked` aborts, and
   * they decide. Also asks holders with Curator's `makeRevocable()`; those of kazoo do not hear it.
   *
   * @returns how many were asked; 0 where nobody holds the lock
   * @throws as {@link inspect}
   */
  async revoke(key: string): Promise<number> {
    return this.manager.revoke(key);
  }

  /**
   * The keys that are in use, in alphabetical order. ZooKeeper removes empty directories about once
   * a minute; until then keys that nobody uses any more are among them.
   *
   * @throws as {@link inspect}
   */
  async list(): Promise<string[]> {
    return this.manager.list();
  }

  /**
   * The innermost lock that `withLock()` or a `@Locked()` method holds around the calling code.
   *
   * @param key look only for this connection's lock of this key
   * @throws {NoCurrentLockError} when there is none
   */
  currentLock(key?: string): Lock {
    const lock = this.manager.currentLock(key);
    if (!lock) throw new NoCurrentLockError(key);
    return lock;
  }

  /**
   * Connects; with `lazy` it only begins to.
   * @internal
   */
  async start(): Promise<void> {
    await this.manager.start({ wait: !this.options.lazy });
  }

  /**
   * Ends the waits: Nest is about to wait for open requests, and they for their locks. Hooks that
   * run later may still take locks. Leaders hand over at once, so that somebody leads meanwhile.
   * @internal
   */
  beforeApplicationShutdown(): void {
    void this.manager.endElections();
    this.manager.endWaits(this.options.shutdownGraceMs);
  }

  /**
   * Refuses new locks, gives holders their grace, releases what is left, and ends the session.
   * @internal
   */
  async onApplicationShutdown(): Promise<void> {
    await this.manager.close({ graceMs: this.options.shutdownGraceMs });
  }
}
