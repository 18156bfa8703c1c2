import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type ElectionOptions, Locks, type Semaphore, type SemaphoreOptions } from 'zk-locks';
import type { OwnSight } from 'zk-locks/framework';
import { AgreedPermits } from './agreed-permits.js';
import { MethodOutcomes } from './method-outcomes.js';
import {
  type LeaderElection,
  type LockSession,
  ObservableElection,
  ObservableSession,
} from './observable.js';
import { keepInternals } from './service-internals.js';
import { ZkClient } from './zk-client.js';
import type { ResolvedModuleOptions } from './zk-lock.options.js';

const CLASSES = { Election: ObservableElection, Client: ZkClient };

/**
 * The numbers of locks and calls of one process.
 *
 * @publicApi
 */
export interface LockCounts {
  /** The number of locks held at the moment. */
  readonly held: number;
  /** The number of calls waiting at the moment. */
  readonly waiting: number;
  /**
   * The number of calls since start-up whose lock or permits were busy, so that `onBusy` provided
   * their result.
   */
  readonly skipped: number;
}

/**
 * Takes locks that all replicas of the application share. There is one service per connection.
 * `ZkLockModule` provides it, connects it, and closes it with the application.
 *
 * Locks are granted first come, first served across the whole cluster. A wait that ends without the
 * lock leaves nothing behind in ZooKeeper.
 *
 * @publicApi
 */
export class LockService extends Locks implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #session = new ObservableSession(super.session);
  readonly #shutdownGraceMs: number;
  readonly #agreedPermits: AgreedPermits;
  #skipped = 0;

  /** `ZkLockModule` creates the service. */
  constructor(
    options: ResolvedModuleOptions,
    connection?: string,
    agreedPermits = new AgreedPermits(),
  ) {
    const { manager, mapErrors, shutdownGraceMs } = options;
    const context =
      connection === undefined ? LockService.name : `${LockService.name}:${connection}`;
    let ownSight!: OwnSight;
    const onOwnSight = (given: OwnSight): void => void (ownSight = given);
    super(manager, new Logger(context), connection, { ...CLASSES, onOwnSight });
    this.#shutdownGraceMs = shutdownGraceMs;
    this.#agreedPermits = agreedPermits;
    keepInternals(this, {
      options: () => manager,
      mapsErrors: mapErrors,
      isNative: manager.client === 'native',
      agreedPermits,
      ownSight,
      countSkipped: () => {
        this.#skipped++;
      },
      outcomes: new MethodOutcomes(),
      waiting: new Set(),
    });
  }

  /** The ZooKeeper session that all locks of this service share. */
  override get session(): LockSession {
    return this.#session;
  }

  override get client(): ZkClient {
    return super.client as ZkClient;
  }

  /**
   * The numbers of locks that this process holds, of calls that wait, and of calls that were
   * skipped. The permits of one call count as one lock.
   */
  override get counts(): LockCounts {
    return { ...super.counts, skipped: this.#skipped };
  }

  override election(key: string, options?: ElectionOptions): LeaderElection {
    return super.election(key, options) as LeaderElection;
  }

  // Also refuses a number that differs from the one ZkLockModule.forFeature() declares for the key.
  override semaphore(key: string, options: SemaphoreOptions): Semaphore {
    const semaphore = super.semaphore(key, options);
    this.#agreedPermits.check(key, options.permits);
    return semaphore;
  }

  /**
   * Ends the waits: Nest is about to wait for open requests, and these wait for locks. Hooks that
   * run later may still take locks. Leaders hand over immediately, so that another process can lead
   * in the meantime.
   */
  beforeApplicationShutdown(): void {
    this.endWaits(this.#shutdownGraceMs);
  }

  /**
   * Refuses new locks, gives holders time to finish, releases the remaining locks, and ends the
   * session.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.close({ graceMs: this.#shutdownGraceMs });
  }
}
