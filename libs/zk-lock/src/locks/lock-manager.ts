import { guardLogger, silentLogger, type ZkLockLogger } from '../logger.js';
import { Session } from '../session/session.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { LockInspection } from './inspection/inspection.js';
import { HolderLook } from './inspection/holder-look.js';
import { Inspector } from './inspection/inspector.js';
import { Cohorts } from './cohort/cohorts.js';
import type { ElectionOptions } from './election/election-options.js';
import { Elections } from './election/elections.js';
import type { LeaderElection } from './election/leader-election.js';
import { checkFunction, runGuarded } from './holding/guarded.js';
import { readOptions } from './given-options.js';
import { refuseHoles } from './key-holes.js';
import { directoryOf } from './key-path.js';
import { LockServiceClosedError } from './lock-errors.js';
import { unavailableError } from './queue/unavailable-error.js';
import {
  resolveLockManagerOptions,
  type LockManagerOptions,
  type ResolvedLockManagerOptions,
} from './lock-manager-options.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  InspectOptions,
  Lock,
  TryAcquireOptions,
  UpgradableLock,
} from './lock.js';
import {
  PartOfMultiLock,
  readTargets,
  takeAll,
  type HeldMultiLock,
  type LockTarget,
  type MultiLock,
} from './multi/multi-lock.js';
import { Occupancy, type OnLost, withinMs } from './holding/occupancy.js';
import { ManagedSemaphore, type SemaphoreContext } from './semaphore/managed-semaphore.js';
import { logLoss } from './observation/log-loss.js';
import { CallObserver } from './observation/call-observer.js';
import { observeSession } from './observation/observe-session.js';
import { nullIfBusy } from './queue/contend.js';
import { dialectOf } from './queue/dialect.js';
import { Directories } from './queue/directories.js';
import { DirectoryLists } from './queue/directory-lists.js';
import { NodeReaper } from './queue/node-reaper.js';
import { SeenQueues } from './queue/seen-queues.js';
import { Succession } from './queue/succession.js';
import { currentLock } from './read-write/lock-context.js';
import { ReadWriteLocks } from './read-write/read-write-locks.js';
import type { Semaphore, SemaphoreOptions } from './semaphore/semaphore.js';
import { readSemaphoreOptions, resolvePermitCount } from './semaphore/semaphore-options.js';

/** How long closing waits for the last deletions and for the session's end, in ms. */
const FAREWELL_MS = 1_000;

type Guarded<T> = (lock: Lock) => T | PromiseLike<T>;

/**
 * Read/write locks and semaphores on one ZooKeeper session: what the Nest layer's `LockService` is made of.
 */
export class LockManager {
  readonly session: Session;
  readonly #options: ResolvedLockManagerOptions;
  readonly #reaper: NodeReaper;
  readonly #locks: ReadWriteLocks;
  readonly #inspector: Inspector;
  readonly #occupancy: Occupancy;
  readonly #elections: Elections;
  readonly #semaphoreContext: SemaphoreContext;
  #isObserved = false;
  #closed: Promise<void> | undefined;

  /** @throws {ZkLockConfigError} */
  constructor(
    options: LockManagerOptions,
    givenLogger: ZkLockLogger = silentLogger,
    /** Names it in what is told of it. */
    private readonly connection = 'default',
  ) {
    this.#options = resolveLockManagerOptions(options);
    const logger = guardLogger(givenLogger);
    for (const line of this.#options.exposures) logger.warn(line);
    const onLost: OnLost = (loss) => logLoss(logger, loss);
    this.#occupancy = new Occupancy(onLost, this.#options.maxWaiting);
    const isInUse = (): boolean => this.#occupancy.isInUse;
    this.session = new Session({ ...this.#options, isInUse }, logger);
    const seen = new SeenQueues();
    const isHolding = (): boolean => this.#occupancy.counts.held > 0;
    const { root, connectTimeoutMs: timeoutMs, lateCreateTimeoutMs } = this.#options;
    this.#reaper = new NodeReaper(this.session, logger, seen, isHolding, lateCreateTimeoutMs);
    const { chroot } = this.#options.connectString;
    const succession = new Succession();
    this.session.state$.subscribe(({ name }) => {
      if (name === 'connected') succession.forget();
    });
    const context = {
      ...this.#options,
      session: this.session,
      lists: new DirectoryLists(this.session),
      reaper: this.#reaper,
      seen,
      succession,
      directories: new Directories({ session: this.session, root, chroot, logger }),
      dialect: dialectOf(this.#options.dialect),
      occupancy: this.#occupancy,
      observer: new CallObserver(connection, () => this.counts),
    };
    const { cohort: limits } = this.#options;
    const cohorts = limits && new Cohorts({ ...context, limits });
    const sightOf = cohorts && ((directory: string) => cohorts.sightOf(directory));
    const { closing } = this.#occupancy;
    const holdersHere = cohorts && ((directory: string) => cohorts.holdersOf(directory));
    const holderLook = new HolderLook({ ...context, holdersHere, closing });
    this.#locks = new ReadWriteLocks({ ...context, cohorts, holderLook });
    this.#inspector = new Inspector({
      ...context,
      root,
      sightOf,
      timeoutMs,
      closing,
    });
    this.#semaphoreContext = { ...context, inspector: this.#inspector, holderLook };
    this.#elections = new Elections((key, options) => {
      const alone = { ...options, timeoutMs: Infinity, reentrant: false } as AcquireOptions;
      const request = { ...this.#locks.request(key, alone), kind: 'election' } as const;
      return {
        owner: this.#locks,
        directory: request.directory,
        sessionTimeoutMs: this.#options.sessionTimeoutMs,
        logger,
        take: (signal, onLockLost) => this.#locks.take({ ...request, signal }, onLockLost),
        onLost,
        inspect: (options) => this.inspect(key, options),
      };
    });
  }

  /** Locks held, permits held together as one, and calls waiting for them, in this process. */
  get counts(): { held: number; waiting: number } {
    return this.#occupancy.counts;
  }

  /** Aborts when closing begins. */
  get closing(): AbortSignal {
    return this.#occupancy.closing;
  }

  /**
   * Connects, and with `wait` resolves once the session is established. Where it fails, everything is
   * closed.
   *
   * @throws {ZooKeeperUnavailableError} when that takes longer than `connectTimeoutMs`
   * @throws {ZkLockConfigError} when a server grants a session timeout too short for `tickTimeMs`; with
   * `client: 'native'`, also where npm `zookeeper` is missing or this is not the main thread
   * @throws {LockServiceClosedError} when it is or gets closed
   */
  async start({ wait = true }: { wait?: boolean } = {}): Promise<void> {
    if (this.#occupancy.isClosing()) throw new LockServiceClosedError();
    try {
      this.session.start();
      this.#observe();
      if (wait) await this.#untilConnected();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Waits for the lock. Inside `withLock` on the same key it joins that holding at once.
   *
   * @throws {LockTimeoutError} when it is not free in time
   * @throws {LockQueueFullError} when as many calls wait as `maxWaiting` allows
   * @throws {ZooKeeperUnavailableError} when ZooKeeper gave no answer in time
   * @throws {LockAbortedError} when `options.signal` aborts
   * @throws {LockUpgradeError} for `write` inside a `read` of the same key
   * @throws {LockKeyError} {@link LockDirectoryError} {@link LockAccessError}
   * @throws {LockServiceClosedError}
   */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Lock> {
    return this.#locks.acquire(this.#locks.request(key, options));
  }

  /** Like `acquire`, without waiting: null when the lock is busy. Writes nothing in that case. */
  async tryAcquire(key: string, options: TryAcquireOptions = {}): Promise<Lock | null> {
    return nullIfBusy(this.acquire(key, { ...readOptions(options), timeoutMs: 0 }));
  }

  /**
   * Runs `fn` while the lock is held, and releases it when what `fn` returns has settled.
   *
   * @throws what `fn` throws, else what `acquire` throws
   * @throws {LockLostError} when the lock was lost before `fn` had settled, even if it succeeded
   */
  async withLock<T>(key: string, fn: Guarded<T>): Promise<T>;
  async withLock<T>(key: string, options: AcquireOptions, fn: Guarded<T>): Promise<T>;
  async withLock<T>(
    key: string,
    optionsOrFn: AcquireOptions | Guarded<T>,
    maybeFn?: Guarded<T>,
  ): Promise<T> {
    const [options, fn] =
      typeof optionsOrFn === 'function' ? [{}, optionsOrFn] : [optionsOrFn, maybeFn];
    checkFunction(fn);
    const lock = await this.#locks.acquire(this.#locks.request(key, options));
    return runGuarded(lock, () => this.#locks.runWithin(lock, lock, () => fn(lock)));
  }

  /**
   * Waits for a read lock that can become a write lock; `curator-rw` only.
   *
   * @throws as {@link acquire}
   * @throws {LockUpgradeError} inside any lock of the same key
   */
  async acquireUpgradable(
    key: string,
    options: AcquireUpgradableOptions = {},
  ): Promise<UpgradableLock> {
    return this.#locks.acquireUpgradable(key, options);
  }

  /** As `withLock`, with a read lock that can become a write lock. */
  async withUpgradableLock<T>(
    key: string,
    options: AcquireUpgradableOptions,
    fn: (lock: UpgradableLock) => T | PromiseLike<T>,
  ): Promise<T> {
    checkFunction(fn);
    const lock = await this.#locks.acquireUpgradable(key, options);
    return runGuarded(lock, () => this.#locks.runWithin(lock, lock, () => fn(lock)));
  }

  /**
   * Waits for the locks of several keys, all or none. They are taken one after the other in an order
   * that is the same everywhere, so that two calls never wait for each other.
   *
   * @throws {LockLostError} when one was lost while another was waited for
   * @throws as {@link acquire}
   */
  async acquireAll(keys: readonly LockTarget[], options: AcquireOptions = {}): Promise<MultiLock> {
    return this.#acquireAll(keys, options);
  }

  /** Like `acquireAll`, without waiting: null when one of them is busy. */
  async tryAcquireAll(
    keys: readonly LockTarget[],
    options: TryAcquireOptions = {},
  ): Promise<MultiLock | null> {
    return nullIfBusy(this.acquireAll(keys, { ...readOptions(options), timeoutMs: 0 }));
  }

  /** As `withLock`, with the locks of several keys. */
  async withLocks<T>(
    keys: readonly LockTarget[],
    options: AcquireOptions,
    fn: (lock: MultiLock) => T | PromiseLike<T>,
  ): Promise<T> {
    checkFunction(fn);
    const multi = await this.#acquireAll(keys, options);
    const work = multi.locks.reduceRight<() => T | PromiseLike<T>>(
      (inner, lock) => () => this.#locks.runWithin(lock, new PartOfMultiLock(lock, multi), inner),
      () => fn(multi),
    );
    return runGuarded(multi, work);
  }

  /**
   * Who holds a lock and who waits for it, in all processes.
   *
   * @throws {ZooKeeperUnavailableError} without an answer within `connectTimeoutMs`
   * @throws {LockDirectoryError} {@link LockAccessError} {@link LockKeyError}
   * @throws {LockServiceClosedError}
   */
  inspect(key: string, options: InspectOptions = {}): Promise<LockInspection> {
    return this.#inspector.inspect(key, options);
  }

  /**
   * Asks whoever holds a lock to give it up: their `lock.revoked` aborts. The number of those asked.
   *
   * @throws as {@link inspect}
   */
  revoke(key: string): Promise<number> {
    return this.#inspector.revoke(key);
  }

  /**
   * The semaphore of a key. Asks nothing of ZooKeeper.
   *
   * @throws {ZkLockConfigError} {@link LockKeyError}
   */
  semaphore(key: string, options: SemaphoreOptions): Semaphore {
    const { root, connectString } = this.#options;
    const { pattern, ...permits } = readSemaphoreOptions(options);
    const count = resolvePermitCount(permits, connectString.chroot, root);
    const place = { key, directory: directoryOf(root, key), pattern };
    refuseHoles(place);
    return new ManagedSemaphore(place, count, this.#semaphoreContext);
  }

  /** The keys that are in use, in alphabetical order, and some that were until lately. */
  list(): Promise<string[]> {
    return this.#inspector.list();
  }

  /**
   * Takes part in the election of one leader among all processes that ask for it: the write lock of
   * the key, held as long as one leads. Joins at once; while it is open, the same object is answered.
   *
   * @throws {LockKeyError}
   * @throws {LockServiceClosedError}
   */
  election(key: string, options: ElectionOptions = {}): LeaderElection {
    return this.#elections.join(key, options);
  }

  /** Leaves all elections, for good: leaders hand over at once, but for guarded work that runs. */
  endElections(): Promise<void> {
    return this.#elections.end();
  }

  /**
   * The lock that `withLock` holds around the calling code: the innermost one, or the one on `key`.
   * Undefined outside.
   */
  currentLock(key?: string): Lock | undefined {
    return key === undefined ? currentLock() : this.#locks.current(key);
  }

  /** Ends the waits in progress now, and those still to come after `longestMs`. */
  endWaits(longestMs: number): void {
    this.#occupancy.endWaits(longestMs);
  }

  /**
   * Leaves all elections, refuses new acquires, rejects the waiting ones, gives holders `graceMs` to
   * finish, takes the rest of the locks away from them, and ends the session. Idempotent.
   */
  close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #untilConnected(): Promise<void> {
    const { connectTimeoutMs } = this.#options;
    const stop = new AbortController();
    const onStop = (): void => stop.abort();
    const timer = setTimeout(onStop, connectTimeoutMs);
    this.#occupancy.closing.addEventListener('abort', onStop, { once: true });
    try {
      await this.session.whenConnected(stop.signal);
    } catch (error) {
      if (this.#occupancy.isClosing()) throw new LockServiceClosedError();
      if (error instanceof ZkLockConfigError) throw error;
      throw unavailableError(
        this.session,
        `gave no session within ${connectTimeoutMs} ms`,
        'Check the `servers` option and that a majority of the servers runs, or set `lazy: true` to start without them.',
      );
    } finally {
      clearTimeout(timer);
      this.#occupancy.closing.removeEventListener('abort', onStop);
    }
  }

  #observe(): void {
    if (this.#isObserved) return;
    this.#isObserved = true;
    observeSession(this.connection, this.session, () => this.counts);
  }

  async #close(graceMs: number): Promise<void> {
    void this.endElections();
    await this.#occupancy.close(graceMs);
    await withinMs(FAREWELL_MS, this.#reaper.whenIdle());
    this.#reaper.stop();
    await this.session.close({ timeoutMs: FAREWELL_MS });
  }

  #acquireAll(
    keys: readonly LockTarget[],
    given: AcquireOptions | null | undefined,
  ): Promise<HeldMultiLock> {
    const options = readOptions(given);
    const requests = readTargets(keys).map(({ key, mode }) => {
      const request = this.#locks.request(key, { ...options, ...(mode !== undefined && { mode }) });
      return { ...request, kind: 'multi' } as const;
    });
    return takeAll(requests, (request) => this.#locks.acquire(request));
  }
}
