import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { LockManager } from '../locks/lock-manager.js';
import type { AcquireOptions, Lock, TryAcquireOptions } from '../locks/lock.js';
import type { SessionSnapshot, SessionState } from '../session/session-state.js';
import { NoCurrentLockError } from './locked/locked-errors.js';
import { OpenWaits } from './open-waits.js';
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
  readonly held: number;
  readonly waiting: number;
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
  private readonly waits = new OpenWaits();

  /** @internal */
  constructor(
    private readonly manager: LockManager,
    private readonly options: ResolvedModuleOptions,
  ) {}

  /** The ZooKeeper session that all locks of this service share. */
  get session(): LockSession {
    return this.manager.session;
  }

  /** How many locks this process holds, and how many calls wait for one. */
  get counts(): LockCounts {
    return this.manager.counts;
  }

  /** @internal */
  get mapsErrors(): boolean {
    return this.options.mapErrors;
  }

  /**
   * Waits for a lock and hands it over; give it back with `release()` or `await using`.
   * Prefer {@link withLock}, which cannot forget to.
   *
   * @example
   * ```ts
   * await using lock = await this.locks.acquire('report', { timeoutMs: 5_000 });
   * ```
   *
   * @param key any text; `/` and control characters are encoded
   * @throws {LockTimeoutError} when it was not free within `timeoutMs` (30,000 ms unless the module
   * says otherwise)
   * @throws {LockAbortedError} when `signal` aborted first
   * @throws {LockKeyError} when the key is empty or too long
   * @throws {LockDirectoryError} when foreign znodes lie in the lock's directory
   * @throws {LockAccessError} when ZooKeeper's ACLs refuse the lock's directory
   * @throws {ZooKeeperUnavailableError} when ZooKeeper could not be reached for long enough
   * @throws {LockServiceClosedError} when the application shuts down
   */
  acquire(key: string, options: AcquireOptions = {}): Promise<Lock> {
    return this.waits.during(options.signal, (signal) =>
      this.manager.acquire(key, { ...options, signal }),
    );
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
  tryAcquire(key: string, options: TryAcquireOptions = {}): Promise<Lock | null> {
    return this.waits.during(options.signal, (signal) =>
      this.manager.tryAcquire(key, { ...options, signal }),
    );
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
   * @throws {LockUpgradeError} for a write lock inside a read lock of the same key
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
    const [options = {}, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
    return this.waits.during(options.signal, (signal) =>
      this.manager.withLock(key, { ...options, signal }, fn),
    );
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
    try {
      await this.manager.start({ wait: !this.options.lazy });
    } catch (error) {
      await this.manager.close({ graceMs: 0 });
      throw error;
    }
  }

  /**
   * Ends the waits: Nest is about to wait for open requests, and they for their locks. Hooks that
   * run later may still take locks.
   * @internal
   */
  beforeApplicationShutdown(): void {
    this.waits.endAll(this.options.shutdownGraceMs);
  }

  /**
   * Refuses new locks, gives holders their grace, releases what is left, and ends the session.
   * @internal
   */
  async onApplicationShutdown(): Promise<void> {
    await this.manager.close({ graceMs: this.options.shutdownGraceMs });
  }
}
