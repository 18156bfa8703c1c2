import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ElectionOptions,
  Locks,
  type LocksOptions,
  type Semaphore,
  type SemaphoreOptions,
} from 'zk-locks';
import { clientFromEnvironment, type OwnSight } from 'zk-locks/framework';
import { AgreedPermits } from './agreed-permits.js';
import { MethodOutcomes } from './method-outcomes.js';
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
   * The number of calls since start-up whose method did not run: with `onBusy`, because the lock or
   * permits were busy, or another call was already waiting for ZooKeeper; with `atMostEveryMs`,
   * because the job was not due.
   */
  readonly skipped: number;
}

/**
 * What the library itself needs of a service. It includes the password, so it is not stored on an
 * instance.
 */
export interface ServiceInternals {
  /** Includes the credentials. */
  readonly options: () => LocksOptions;
  readonly mapsErrors: boolean;
  readonly isNative: boolean;
  readonly agreedPermits: AgreedPermits;
  /** Shows what this process does with a key, without asking a server. */
  readonly ownSight: OwnSight;
  /** See {@link LockCounts.skipped}. */
  skipped: number;
  readonly outcomes: MethodOutcomes;
  /** The keys of `onBusy` calls that wait for a connection. */
  readonly waiting: Set<string>;
}

/**
 * Keyed by the service's signal, which is the same even if instrumentation wraps the service in a
 * proxy.
 */
const known = new WeakMap<AbortSignal, ServiceInternals>();

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
    known.set(this.closing, {
      options: () => manager,
      mapsErrors: mapErrors,
      isNative: (manager.client ?? clientFromEnvironment()) === 'native',
      agreedPermits,
      ownSight,
      skipped: 0,
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
    return { ...super.counts, skipped: internalsOf(this).skipped };
  }

  override election(key: string, options?: ElectionOptions): LeaderElection {
    return super.election(key, options) as LeaderElection;
  }

  // Also refuses a number that differs from the one ZkLockModule.forFeature() declares for the key.
  override semaphore(key: string, options: SemaphoreOptions): Semaphore {
    const semaphore = super.semaphore(key, options);
    internalsOf(this).agreedPermits.check(key, options.permits);
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

export function internalsOf({ closing }: Pick<Locks, 'closing'>): ServiceInternals {
  return known.get(closing) ?? unknownService();
}

/** For a service with which an application has replaced the module's own. */
const unknownService = (): ServiceInternals => ({
  options: () => {
    throw new TypeError('This LockService was not created by ZkLockModule.');
  },
  mapsErrors: false,
  isNative: false,
  agreedPermits: new AgreedPermits(),
  ownSight: () => ({
    ...{ cohort: undefined, election: undefined, job: undefined },
    expectJob: () => undefined,
  }),
  skipped: 0,
  outcomes: new MethodOutcomes(),
  waiting: new Set(),
});
