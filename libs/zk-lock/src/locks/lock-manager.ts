import { formatConnectString } from '../client/connect-string.js';
import { NativeConnector } from '../client/native/native-connector.js';
import { silentLogger, type ZkLockLogger } from '../logger.js';
import { Session } from '../session/session.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { InspectOptions, LockInspection } from './inspection/inspection.js';
import { Inspector } from './inspection/inspector.js';
import { runGuarded } from './holding/guarded.js';
import { directoryOf } from './key-path.js';
import {
  LockLostError,
  LockServiceClosedError,
  LockTimeoutError,
  LockUpgradeError,
  ZooKeeperUnavailableError,
} from './lock-errors.js';
import {
  resolveLockManagerOptions,
  type LockManagerOptions,
  type ResolvedLockManagerOptions,
} from './lock-manager-options.js';
import type { AcquireOptions, Lock, LockMode, TryAcquireOptions } from './lock.js';
import {
  checkTarget,
  PartOfMultiLock,
  takeAll,
  type HeldMultiLock,
  type LockTarget,
  type MultiLock,
} from './multi/multi-lock.js';
import { Occupancy, withinMs } from './occupancy.js';
import { dialectOf } from './queue/dialect.js';
import { DirectoryLists } from './queue/directory-lists.js';
import { NodeReaper } from './queue/node-reaper.js';
import { newWait } from './queue/wait-request.js';
import { checkAcquireOptions } from './read-write/acquire-options.js';
import { HeldLock } from './read-write/held-lock.js';
import { currentLock, enclosingLock, runWithLock } from './read-write/lock-context.js';
import { takeLock, type LockRequest, type ReadWriteContext } from './read-write/take-lock.js';

/** How long closing waits for the last deletions and for the session's end, in ms. */
const FAREWELL_MS = 1_000;

type Guarded<T> = (lock: Lock) => T | PromiseLike<T>;

/**
 * Read/write locks on one ZooKeeper session: what the Nest layer's `LockService` is made of.
 */
export class LockManager {
  readonly session: Session;
  readonly #options: ResolvedLockManagerOptions;
  readonly #reaper: NodeReaper;
  readonly #context: ReadWriteContext;
  readonly #inspector: Inspector;
  readonly #occupancy = new Occupancy();
  #closed: Promise<void> | undefined;

  /** @throws {ZkLockConfigError} */
  constructor(options: LockManagerOptions, logger: ZkLockLogger = silentLogger) {
    this.#options = resolveLockManagerOptions(options);
    const isInUse = (): boolean => this.#occupancy.isInUse;
    const connector = new NativeConnector();
    this.session = new Session({ ...this.#options, connector, isInUse }, logger);
    this.#reaper = new NodeReaper(this.session, logger);
    this.#context = {
      session: this.session,
      lists: new DirectoryLists(this.session),
      reaper: this.#reaper,
      chroot: this.#options.connectString.chroot,
      dialect: dialectOf(this.#options.dialect),
      application: this.#options.application,
    };
    const { root, connectTimeoutMs: timeoutMs } = this.#options;
    this.#inspector = new Inspector({
      ...this.#context,
      root,
      timeoutMs,
      closing: this.#occupancy.closing,
    });
  }

  /** Locks held and calls waiting for one, in this process. */
  get counts(): { held: number; waiting: number } {
    return this.#occupancy.counts;
  }

  /**
   * Connects, and with `wait` resolves once the session is established.
   *
   * @throws {NativeClientError} where npm `zookeeper` is missing or this is not the main thread
   * @throws {ZooKeeperUnavailableError} when that takes longer than `connectTimeoutMs`; everything is
   * closed then
   * @throws {LockServiceClosedError} when it is or gets closed
   */
  async start({ wait = true }: { wait?: boolean } = {}): Promise<void> {
    if (this.#occupancy.isClosing()) throw new LockServiceClosedError();
    this.session.start();
    if (!wait) return;
    const { connectTimeoutMs } = this.#options;
    const stop = new AbortController();
    const onStop = (): void => stop.abort();
    const timer = setTimeout(onStop, connectTimeoutMs);
    this.#occupancy.closing.addEventListener('abort', onStop, { once: true });
    try {
      await this.session.whenConnected(stop.signal);
    } catch {
      if (this.#occupancy.isClosing()) throw new LockServiceClosedError();
      const { lastFailure } = this.session;
      await this.close();
      const servers = formatConnectString(this.#options.connectString);
      throw new ZooKeeperUnavailableError(
        `ZooKeeper at ${servers} could not be reached within ${connectTimeoutMs} ms. Check the \`servers\` option and that the servers run, or set \`lazy: true\` to start without them.`,
        { cause: lastFailure },
      );
    } finally {
      clearTimeout(timer);
      this.#occupancy.closing.removeEventListener('abort', onStop);
    }
  }

  /**
   * Waits for the lock. Inside `withLock` on the same key it joins that holding at once.
   *
   * @throws {LockTimeoutError} when it is not free in time
   * @throws {ZooKeeperUnavailableError} when ZooKeeper gave no answer in time
   * @throws {LockAbortedError} when `options.signal` aborts
   * @throws {LockUpgradeError} for `write` inside a `read` of the same key
   * @throws {LockKeyError} {@link LockDirectoryError} {@link LockAccessError}
   * @throws {LockServiceClosedError}
   */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Lock> {
    return this.#acquire(this.#request(key, options));
  }

  /** Like `acquire`, without waiting: null when the lock is busy. Writes nothing in that case. */
  tryAcquire(key: string, options: TryAcquireOptions = {}): Promise<Lock | null> {
    return nullIfBusy(this.acquire(key, { ...options, timeoutMs: 0 }));
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
    const request = this.#request(key, options);
    const lock = await this.#acquire(request);
    const scope = { owner: this, directory: request.directory, lock, shown: lock };
    return runGuarded(lock, () => runWithLock(scope, () => fn(lock)));
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
  tryAcquireAll(
    keys: readonly LockTarget[],
    options: TryAcquireOptions = {},
  ): Promise<MultiLock | null> {
    return nullIfBusy(this.acquireAll(keys, { ...options, timeoutMs: 0 }));
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
      (inner, lock) => () => {
        const directory = directoryOf(this.#options.root, lock.key);
        const shown = new PartOfMultiLock(lock, multi);
        return runWithLock({ owner: this, directory, lock, shown }, inner);
      },
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

  /** The keys that are in use, in alphabetical order, and some that were until lately. */
  list(): Promise<string[]> {
    return this.#inspector.list();
  }

  /**
   * The lock that `withLock` holds around the calling code: the innermost one, or the one on `key`.
   * Undefined outside.
   */
  currentLock(key?: string): Lock | undefined {
    if (key === undefined) return currentLock();
    return enclosingLock(this, directoryOf(this.#options.root, key))?.shown;
  }

  /**
   * Refuses new acquires, rejects the waiting ones, gives holders `graceMs` to finish, takes the
   * rest of the locks away from them, and ends the session. Idempotent.
   */
  close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    await this.#occupancy.close(graceMs);
    await withinMs(FAREWELL_MS, this.#reaper.whenIdle());
    this.#reaper.stop();
    await this.session.close({ timeoutMs: FAREWELL_MS });
  }

  #request(key: string, options: AcquireOptions | null | undefined): LockRequest {
    options ??= {};
    checkAcquireOptions(options);
    this.#checkMode(options.mode);
    const { timeoutMs = this.#options.acquireTimeoutMs } = options;
    return {
      key,
      mode: options.mode ?? 'write',
      timeoutMs,
      deadline: performance.now() + timeoutMs,
      signal: options.signal,
      directory: directoryOf(this.#options.root, key),
      label: options.label,
      reentrant: options.reentrant ?? true,
    };
  }

  #acquireAll(
    keys: readonly LockTarget[],
    options: AcquireOptions | null | undefined,
  ): Promise<HeldMultiLock> {
    if (!Array.isArray(keys) || keys.length === 0) {
      throw new ZkLockConfigError('keys', 'there are none', 'Pass an array of at least one key.');
    }
    const requests = keys.map((target: LockTarget) => {
      const { key, mode } = checkTarget(target);
      return this.#request(key, { ...options, ...(mode !== undefined && { mode }) });
    });
    return takeAll(requests, (request) => this.#acquire(request));
  }

  #checkMode(mode: LockMode | undefined): void {
    const { dialect } = this.#context;
    if (mode !== 'read' || dialect.hasReaders) return;
    throw new ZkLockConfigError(
      'mode',
      `the dialect "${dialect.name}" has no read locks`,
      "Use 'write', or the dialect 'curator-rw' or 'kazoo' in all processes.",
    );
  }

  async #acquire(request: LockRequest): Promise<HeldLock> {
    const { key, mode, directory } = request;
    const enclosing = request.reentrant && enclosingLock(this, directory);
    if (enclosing) return joinLock(enclosing.lock, key, mode);
    const { sessionTimeoutMs } = this.#options;
    const holding = await this.#occupancy.take(
      () => newWait(request, this.session, sessionTimeoutMs),
      (wait) => takeLock(request, wait, this.#context),
    );
    return new HeldLock(key, mode, holding);
  }
}

/** A single try that found somebody in the way has not failed. */
async function nullIfBusy<T>(trying: Promise<T>): Promise<T | null> {
  try {
    return await trying;
  } catch (error) {
    if (error instanceof LockTimeoutError) return null;
    throw error;
  }
}

function checkFunction(fn: unknown): asserts fn is (...args: never[]) => unknown {
  if (typeof fn === 'function') return;
  throw new ZkLockConfigError('fn', 'it is no function', 'Pass the work to be guarded.');
}

/** A nested call shares the holding of the one around it. */
function joinLock({ holding }: HeldLock, key: string, mode: LockMode): HeldLock {
  if (holding.mode === 'read' && mode === 'write') throw new LockUpgradeError(key);
  const { loss } = holding;
  if (loss) throw new LockLostError(key, mode, loss.reason, { cause: loss });
  return new HeldLock(key, mode, holding);
}
