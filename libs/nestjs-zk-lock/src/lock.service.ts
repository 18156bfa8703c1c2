import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ElectionOptions,
  type Lock,
  Locks,
  type LocksOptions,
  type Semaphore,
  type SemaphoreOptions,
} from 'zk-locks';
import type { OwnSight } from 'zk-locks/internal';
import { NoCurrentLockError } from './decorators/decorator-errors.js';
import { AgreedPermits } from './feature/agreed-permits.js';
import {
  type LeaderElection,
  type LockSession,
  ObservableElection,
  ObservableSession,
} from './observable.js';
import { ZkClient } from './zk-client.js';
import type { ResolvedModuleOptions } from './zk-lock.options.js';

const CLASSES = { Election: ObservableElection, Client: ZkClient };

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
 * `ZkLockModule`, which connects it and closes it with the application.
 *
 * Locks are granted first come, first served over the whole cluster. A wait that ends without the
 * lock leaves nothing behind in ZooKeeper.
 *
 * @publicApi
 */
export class LockService extends Locks implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #session = new ObservableSession(super.session);
  // Not the options themselves, whose credentials would show where the service is logged.
  readonly #shutdownGraceMs: number;
  #skipped = 0;

  /** @internal */
  readonly mapsErrors: boolean;
  /** @internal */
  readonly isNative: boolean;
  /** What this process does with a key, which asks no server. @internal */
  readonly ownSight: OwnSight;
  /** Behind a function: loggers do not show the credentials. @internal */
  readonly readOptions: () => LocksOptions;

  /** @internal */
  constructor(
    options: ResolvedModuleOptions,
    connection?: string,
    /** @internal */
    readonly agreedPermits = new AgreedPermits(),
  ) {
    const context =
      connection === undefined ? LockService.name : `${LockService.name}:${connection}`;
    let ownSight!: OwnSight;
    const onOwnSight = (given: OwnSight): void => void (ownSight = given);
    super(options.manager, new Logger(context), connection, { ...CLASSES, onOwnSight });
    this.ownSight = ownSight;
    this.readOptions = () => options.manager;
    this.#shutdownGraceMs = options.shutdownGraceMs;
    this.mapsErrors = options.mapErrors;
    this.isNative = options.manager.client === 'native';
  }

  /** The ZooKeeper session that all locks of this service share. */
  override get session(): LockSession {
    return this.#session;
  }

  override get client(): ZkClient {
    return super.client as ZkClient;
  }

  /**
   * How many locks this process holds, how many calls wait for one, and how many were skipped. The
   * permits of one call count as one lock.
   */
  override get counts(): LockCounts {
    return { ...super.counts, skipped: this.#skipped };
  }

  /** @internal */
  countSkipped(): void {
    this.#skipped++;
  }

  override election(key: string, options?: ElectionOptions): LeaderElection {
    return super.election(key, options) as LeaderElection;
  }

  // Refuses another number, too, than ZkLockModule.forFeature() names for the key.
  override semaphore(key: string, options: SemaphoreOptions): Semaphore {
    const semaphore = super.semaphore(key, options);
    this.agreedPermits.check(key, options.permits);
    return semaphore;
  }

  /**
   * The innermost lock that `withLock()` or a `@Locked()` method holds around the calling code.
   *
   * @param key look only for this connection's lock of this key
   * @throws {NoCurrentLockError} outside of a section that holds a lock
   */
  override currentLock(key?: string): Lock {
    const lock = super.currentLock(key);
    if (!lock) throw new NoCurrentLockError(key);
    return lock;
  }

  /**
   * Ends the waits: Nest is about to wait for open requests, and they for their locks. Hooks that
   * run later may still take locks. Leaders hand over at once, so that another process leads meanwhile.
   * @internal
   */
  beforeApplicationShutdown(): void {
    this.endWaits(this.#shutdownGraceMs);
  }

  /**
   * Refuses new locks, gives holders their grace, releases what is left, and ends the session.
   * @internal
   */
  async onApplicationShutdown(): Promise<void> {
    await this.close({ graceMs: this.#shutdownGraceMs });
  }
}
