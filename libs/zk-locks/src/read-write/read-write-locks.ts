import type { OnLost, WaitingCall } from '../grant/active-locks.js';
import { refuseHoles, directoryOf } from '../lock/key-path.js';
import {
  LockAbortedError,
  LockLostError,
  LockUpgradeError,
  NoCurrentLockError,
} from '../lock/lock-errors.js';
import type { AcquireOptions, Lock, LockMode, ReleaseMode } from '../lock/lock.js';
import type { HolderReport } from '../inspection/holder-report.js';
import type { WaitRequest } from '../queue/wait.js';
import type { Wait } from 'zk-client/recipes';
import { readAcquireOptions } from '../options/call-options.js';
import {
  enclosingLock,
  locksAround,
  type LockScope,
  type OptionsAndWork,
  optionsAndWork,
  runGuarded,
  runWithLocks,
  type Work,
} from '../grant/async-scope.js';
import { type Grant, HeldLock, shareOf } from '../grant/grant.js';
import { NodeGrant } from '../grant/node-grant.js';
import type { LocksContext } from '../grant/locks-context.js';
import type { CallKind } from '../telemetry/events.js';
import { acquire } from '../queue/contender.js';
import type { Claim, Recipe } from '../queue/lock-node.js';
import { isBusy, isBusyUnlessKept } from '../queue/single-try.js';
import {
  MOST_HELD,
  type Nesting,
  newNesting,
  type NodeUse,
  ownHolderData,
} from '../nodes/holder-data.js';

/** Waits for a lock of its own, as {@link takeLock} does. */
export type TakeLock = typeof takeLock;

/** Takes locks on behalf of several calls of this process. */
export interface SharedLocks {
  take(request: LockRequest): Promise<Grant>;
  /** Releases the lock of a directory if it is kept: its node would be in the way. */
  giveBackKept(directory: string): void;
}

/** The read/write locks of one process, by key. Nested calls of one async context share a lock. */
export class ReadWriteLocks {
  constructor(
    readonly context: LocksContext,
    readonly holderReport: HolderReport,
    private readonly shared: SharedLocks | undefined,
    private readonly takeLock: TakeLock,
  ) {}

  /**
   * Checks everything about a call before it sends any request.
   *
   * @throws {ZkLockConfigError} {@link LockKeyError}
   */
  request(key: string, given: AcquireOptions | null | undefined): LockRequest {
    const options = readAcquireOptions(given, this.context.dialect);
    const { timeoutMs = this.context.acquireTimeoutMs } = options;
    const directory = this.#directoryOf(key);
    refuseHoles({ key, pattern: options.pattern });
    return {
      key,
      mode: options.mode ?? 'write',
      timeoutMs,
      deadline: performance.now() + timeoutMs,
      signal: options.signal,
      directory,
      label: options.label,
      pattern: options.pattern,
      kind: 'lock',
      reentrant: options.reentrant ?? true,
      release: options.release ?? this.context.release,
      explain: undefined,
    };
  }

  /** @throws as {@link Locks.acquire} */
  acquire(key: string, options: AcquireOptions): Promise<HeldLock> {
    // `async` would create a promise for a promise, and 10,000 calls may wait.
    try {
      return this.enter(this.request(key, options));
    } catch (error) {
      const refusal = error as Error;
      return Promise.reject(refusal);
    }
  }

  /**
   * Joins the surrounding lock of the same key, or waits for a new one.
   *
   * @throws {LockUpgradeError} {@link LockLostError} immediately, if the surrounding lock cannot be
   * joined
   */
  enter(request: LockRequest): Promise<HeldLock> {
    const enclosing = this.enclosing(request);
    if (enclosing) return Promise.resolve(joinLock(enclosing, request));
    const take = (explained: LockRequest): Promise<Grant> =>
      this.shared?.take(explained) ?? this.take(explained);
    return this.explained(this.nest(request), take).then((grant) => heldBy(request, grant));
  }

  /** The lock that a call joins at once; undefined if it takes a lock of its own. */
  enclosing({ reentrant, directory }: LockRequest): LockScope | undefined {
    return reentrant ? enclosingLock(this, directory) : undefined;
  }

  /**
   * Takes a lock. A timeout error names the holders, and the circle in which the call has waited.
   *
   * @param take starts the wait, and explains its error
   */
  explained<G>(request: LockRequest, take: (request: LockRequest) => Promise<G>): Promise<G> {
    const { holderReport } = this;
    const ahead = request.nesting && holderReport.lookAhead(request);
    const explain = (error: unknown): Promise<unknown> =>
      holderReport.explain(error, request, ahead);
    request.explain = explain;
    const taking = take(request);
    return ahead ? taking.finally(() => void ahead()) : taking;
  }

  /**
   * The request of a call that may wait, with its surrounding locks; the same object outside of
   * locks.
   *
   * @param own the grant that the call itself is about
   */
  nest<R extends LockRequest>(request: R, own?: Grant): R {
    const { heldBefore, directory, timeoutMs } = request;
    const around = locksAround(this);
    const isNested = around.length > 0 || (heldBefore?.length ?? 0) > 0;
    // A single try does not wait.
    if (!isNested || timeoutMs === 0) return request;
    const { root, nestingOrders } = this.context;
    const outer = around.filter(({ lock }) => lock.grant !== own);
    const inner = { pattern: patternOf(request), directory };
    for (const { lock, directory } of outer) {
      nestingOrders?.note({ pattern: lock.pattern ?? lock.key, directory }, inner);
    }
    const held = [...(heldBefore ?? []).toReversed(), ...outer.map(({ lock }) => lock)];
    const nearest = held.slice(0, MOST_HELD);
    const nodes = [...new Set(nearest.flatMap(({ grant }) => grant.nodes.nodePaths))];
    return nodes.length === 0 ? request : { ...request, nesting: newNesting(root, nodes) };
  }

  /** Waits for a grant of its own, which is not shared yet. */
  take(request: LockRequest, takeLock = this.takeLock): Promise<NodeGrant> {
    const { context } = this;
    this.shared?.giveBackKept(request.directory);
    return context.activeLocks.take(request, (wait) => takeLock(request, wait, context));
  }

  /** @throws as {@link Locks.withLock} */
  async withLock<T>(key: string, given: OptionsAndWork<AcquireOptions, Lock, T>): Promise<T> {
    const [options, work] = optionsAndWork(given);
    return this.runUnder(await this.acquire(key, options), work);
  }

  /** Runs `work` inside the scope of a lock, and then releases the lock, as {@link runGuarded}. */
  runUnder<L extends HeldLock, T>(lock: L, work: Work<L, T>): Promise<T> {
    return runGuarded(lock, () => this.runWithin(lock, () => work(lock)));
  }

  /** Runs `fn` inside the scope of a lock. */
  runWithin<T>(lock: HeldLock, fn: () => T): T {
    return runWithLocks([this.scopeOf(lock, lock)], fn);
  }

  /** The scope of a lock in which `currentLock()` returns `shown`. */
  scopeOf(lock: HeldLock, shown: Lock): LockScope {
    return { owner: this, directory: this.#directoryOf(lock.key), lock, shown };
  }

  /** @throws {NoCurrentLockError} when the lock of the key is not held around the calling code */
  current(key: string): Lock {
    const directory = this.#directoryOf(key);
    // Not one whose section is over, even if work that it has started still shares its grant.
    const scope = locksAround(this).find(
      (each) => each.directory === directory && !each.lock.isReleased,
    );
    if (!scope) throw new NoCurrentLockError(key);
    return scope.shown;
  }

  #directoryOf(key: string): string {
    return directoryOf(this.context.root, key);
  }
}

/**
 * Shares the grant of the surrounding lock with a nested call.
 *
 * @throws {LockAbortedError} {@link LockUpgradeError} {@link LockLostError}
 */
function joinLock(scope: LockScope, request: LockRequest): HeldLock {
  const { grant } = scope.lock;
  const { key, mode, release, signal } = request;
  if (signal?.aborted) throw new LockAbortedError(key, mode, signal.reason);
  if (grant.mode === 'read' && mode === 'write') throw new LockUpgradeError(key);
  const { loss } = grant;
  if (loss) throw new LockLostError(key, mode, loss.reason, { cause: loss });
  return shareOf(scope, { key, mode, release, pattern: patternOf(request) });
}

/** A call's share of a grant. */
function heldBy(request: LockRequest, grant: Grant): HeldLock {
  const { key, mode, release } = request;
  return new HeldLock(key, mode, grant, release, patternOf(request));
}

/** One call for a lock, with all its options resolved. */
export interface LockRequest extends WaitRequest {
  readonly mode: LockMode;
  readonly directory: string;
  readonly label: string | undefined;
  /** Stands for its key in metrics and traces. */
  readonly pattern: string | undefined;
  readonly kind: CallKind;
  /** Whether it joins a lock of the same key that its async context holds. */
  readonly reentrant: boolean;
  readonly release: ReleaseMode;
  /** The use that its node states. */
  readonly use?: NodeUse;
  /** Called for its loss, if it has a listener of its own. */
  readonly onLost?: OnLost;
  /** The locks of the same call that are already held. */
  readonly heldBefore?: readonly HeldLock[];
  /** Its surrounding locks, if any. */
  readonly nesting?: Nesting | undefined;
  /** Makes the error for the caller; set when the call begins to wait. */
  explain: WaitingCall['explain'];
}

/**
 * The text that stands for a lock's key. The pattern of a call with several keys stands for all of
 * them.
 */
function patternOf({ kind, key, pattern }: LockRequest): string {
  return kind === 'multi' ? key : (pattern ?? key);
}

/**
 * Queues for a lock as long as `wait` allows.
 *
 * @throws as {@link acquire}
 */
export function takeLock(
  request: LockRequest,
  wait: Wait,
  context: LocksContext,
): Promise<NodeGrant> {
  return acquire(readWriteNode(request, context), grantOf, request, wait, context);
}

/** Shared by all calls: 10,000 may wait. */
const grantOf: Claim<NodeGrant> = (own, recipe, context) =>
  new NodeGrant(context, own.lease, recipe).add(own);

type QueueRequest = Pick<LockRequest, 'key' | 'mode' | 'directory' | 'label' | 'use' | 'nesting'>;

/** What a contender in this mode puts into the queue of a read/write lock. */
export function readWriteNode(
  { key, mode, directory, label, use, nesting }: QueueRequest,
  context: LocksContext,
): Recipe {
  const { dialect, application, keepsLocks } = context;
  const data = ownHolderData(application, label, nesting ? { ...use, holds: nesting.holds } : use);
  const prefix = dialect.nodePrefix[mode];
  const isTaken = keepsLocks ? isBusyUnlessKept : isBusy;
  return { key, directory, dialect, mode, prefix, data, nesting, isShared: use?.cohort, isTaken };
}
