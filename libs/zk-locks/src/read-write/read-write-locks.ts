import type { OnLost } from '../grant/active-locks.js';
import { refuseHoles, directoryOf } from '../key-path.js';
import { LockLostError, LockReleasedError, LockUpgradeError } from '../lock-errors.js';
import type { AcquireOptions, Lock, LockMode, ReleaseMode } from '../lock.js';
import type { HolderReport } from '../inspection/holder-report.js';
import { newWait, type WaitRequest } from '../queue/wait.js';
import {
  ensureNode,
  isConnectionError,
  join,
  nameOf,
  parentOf,
  retryUntilAnswered,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { readAcquireOptions } from '../options/call-options.js';
import { enclosingLock, locksAround, runWithLock } from '../grant/async-scope.js';
import { type Grant, NodeGrant, HeldLock } from '../grant/grant.js';
import type { LocksContext } from '../grant/locks-context.js';
import { randomUUID } from 'node:crypto';
import { type Dialect, sequenceOf } from '../queue/dialect.js';
import { type Nesting, newNesting } from '../queue/nesting.js';
import type { OwnNode } from '../queue/own-node.js';
import { type QueueContext, ownHolderData } from '../queue/lock-node.js';
import type { CallKind } from '../telemetry/events.js';
import { acquire, type Queue } from '../queue/acquire.js';
import { isBusy, isBusyUnlessKept } from '../queue/single-try.js';
import { dataOfTwin, type NodeUse } from '../queue/holder-data.js';

/** Waits for a lock of its own, as {@link takeLock} does. */
export type TakeLock = typeof takeLock;

/** Takes locks for several calls of this process together. */
export interface SharedLocks {
  take(request: LockRequest, wait: Wait): Promise<Grant>;
  /** Without a wait; undefined where it takes one. */
  takeKept(request: LockRequest): Grant | undefined;
  /** What a call has to wait for before {@link takeKept}; undefined where it may go on. */
  pause(request: LockRequest): Promise<void> | undefined;
  /** Gives back the lock of a directory where it is kept: its node would be in the way. */
  giveBackKept(directory: string): void;
}

/** The read/write locks of one process, by key; those of one async context join each other. */
export class ReadWriteLocks {
  constructor(
    readonly context: LocksContext,
    readonly holderReport: HolderReport,
    private readonly shared?: SharedLocks,
    private readonly takeLock: TakeLock = takeLock,
  ) {}

  /**
   * Checks everything about a call, before it touches ZooKeeper.
   *
   * @throws {ZkLockConfigError} {@link LockKeyError}
   */
  request(key: string, given: AcquireOptions | null | undefined): LockRequest {
    const options = readAcquireOptions(given, this.context.dialect);
    const { timeoutMs = this.context.acquireTimeoutMs } = options;
    const directory = this.#directoryOf(key);
    refuseHoles({ key, pattern: options.pattern });
    if (options.marginMs) this.context.session.connectedLease?.within(options.marginMs);
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
      marginMs: options.marginMs ?? this.context.marginMs,
    };
  }

  acquire(request: LockRequest): Promise<HeldLock> {
    const enclosing = request.reentrant && enclosingLock(this, request.directory);
    if (enclosing) return joinLock(enclosing.lock, request);
    const nested = this.nest(request);
    const ahead = this.holderReport.lookAhead(nested);
    return this.#take(nested).then(
      (grant) => {
        void ahead?.end();
        return new HeldLock(request.key, request.mode, grant, request.release, patternOf(request));
      },
      async (error: unknown) => {
        throw await this.holderReport.explain(error, nested, ahead);
      },
    );
  }

  /**
   * The request of a call that may wait, with what surrounds it; the same object outside of locks.
   *
   * @param own what the call itself is about
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
    const held = [...(heldBefore ?? []), ...outer.map(({ lock }) => lock)];
    const nodes = [...new Set(held.flatMap(({ grant }) => grant.standing.nodePaths))];
    return nodes.length === 0 ? request : { ...request, nesting: newNesting(root, nodes) };
  }

  #take(request: LockRequest): Promise<Grant> {
    const { shared } = this;
    return shared ? this.#takeShared(request, shared) : this.take(request);
  }

  /** Together with other calls of this process, without a wait where the lock is kept for them. */
  #takeShared(request: LockRequest, shared: SharedLocks): Promise<Grant> {
    const take = (): Promise<Grant> => this.#takeSharedNow(request, shared);
    // Before it is granted: meanwhile the lock may be lost, or closing begin.
    const taking = shared.pause(request)?.then(take) ?? take();
    return this.context.activeLocks.observe(request, taking);
  }

  #takeSharedNow(request: LockRequest, shared: SharedLocks): Promise<Grant> {
    const { activeLocks } = this.context;
    const kept = request.signal?.aborted ? undefined : shared.takeKept(request);
    if (kept) return Promise.resolve(activeLocks.add(kept));
    const take = (wait: Wait): Promise<Grant> => shared.take(request, wait);
    return activeLocks.take(request, this.#newWait(request), take);
  }

  /** Waits for a grant of its own, which is not shared yet. */
  take(request: LockRequest, onLost?: OnLost, takeLock = this.takeLock): Promise<LockGrant> {
    const { context } = this;
    const { activeLocks } = context;
    this.shared?.giveBackKept(request.directory);
    const take = (wait: Wait): Promise<LockGrant> => takeLock(request, wait, context);
    const taking = activeLocks.take(request, this.#newWait(request), take, onLost);
    return activeLocks.observe(request, taking);
  }

  /** Runs one wait of a lock that is held. */
  during<T>(request: LockRequest, work: (wait: Wait) => Promise<T>): Promise<T> {
    return this.context.activeLocks.during(request, this.#newWait(request), work);
  }

  /** Runs `fn` as what a lock is held around; `shown` is what `currentLock()` gives it. */
  runWithin<T>(lock: HeldLock, shown: Lock, fn: () => T): T {
    const directory = this.#directoryOf(lock.key);
    return runWithLock({ owner: this, directory, lock, shown }, fn);
  }

  /** The lock of a key that is held around the calling code. */
  current(key: string): Lock | undefined {
    return enclosingLock(this, this.#directoryOf(key))?.shown;
  }

  #newWait(request: LockRequest): Wait {
    return newWait(request, this.context.session, this.context.sessionTimeoutMs);
  }

  #directoryOf(key: string): string {
    return directoryOf(this.context.root, key);
  }
}

/**
 * A nested call shares the grant of the one around it.
 *
 * @throws {LockUpgradeError} {@link LockLostError}
 * @throws {LockReleasedError} where it was released while the clock could not tell whether it is held
 */
async function joinLock({ grant }: HeldLock, request: LockRequest): Promise<HeldLock> {
  const { key, mode, release, marginMs } = request;
  if (grant.loss) await grant.whenCertain();
  // It may have been handed on to readers meanwhile.
  if (grant.mode === 'read' && mode === 'write') throw new LockUpgradeError(key);
  const { loss } = grant;
  if (loss) throw new LockLostError(key, mode, loss.reason, { cause: loss });
  if (grant.isReleased) throw new LockReleasedError(key, mode);
  grant.widenMargin(marginMs);
  return new HeldLock(key, mode, grant, release, patternOf(request));
}

/**
 * A read or write lock of this process, and the calls that share it: a nested call in the same async
 * context joins it.
 *
 * When the last writer among them lets go while readers remain, it is downgraded: a reader's node
 * with the writer's own sequence number takes the place of the writer's, so that other readers are
 * let in and no writer that waits can slip in between. The fencing token stays the same.
 */
export class LockGrant extends NodeGrant {
  /** Of the node that was granted. */
  readonly path: string;
  /** The node that stands in the queue for it. */
  #node: string;
  /** The node that keeps readers out; undefined where it is a reader's. */
  #writing: string | undefined;

  /** @param data what its nodes say about their holder */
  constructor(
    override readonly context: LocksContext,
    { lease, path }: OwnNode,
    key: string,
    mode: LockMode,
    private readonly data: string,
    marginMs = 0,
  ) {
    super(context, lease, key, marginMs);
    this.path = this.#node = path;
    this.#writing = mode === 'write' ? path : undefined;
  }

  get mode(): LockMode {
    return this.#writing === undefined ? 'read' : 'write';
  }

  get nodeName(): string {
    return nameOf(this.#node);
  }

  /** Of all its nodes: no other contender has a node with this number. */
  get sequence(): number {
    return sequenceOf(this.path);
  }

  /**
   * Makes a reader a writer by a node that has been added, for as long as a writer shares it: the
   * caller does, from now on.
   */
  startWriting(node: string): void {
    this.#writing = node;
    this.share('write');
  }

  protected override remove({ path }: OwnNode): Promise<void> {
    const removal = this.openTransactions === 0 ? 'granted' : 'unused';
    return this.context.remover.remove(this.lease, path, removal);
  }

  protected override async stopWriting(): Promise<void> {
    const writing = this.#writing;
    if (writing === undefined) return;
    this.#writing = undefined;
    if (writing !== this.path) await this.drop(writing);
    // Of what is lost, nothing is handed over: another contender may have the place by now.
    else if (!this.isLost) await this.#downgrade();
  }

  /** Resolves when the writer's node is gone, or when that goes on in the background. */
  async #downgrade(): Promise<void> {
    const { lease, path, data } = this;
    const { session, remover, dialect } = this.context;
    const reader = twinOf(dialect, path, 'read');
    const twinData = dataOfTwin(data, this.fencingToken);
    const create = (): Promise<void> => createTwin(this.context, lease, reader, twinData);
    const handOver = async (): Promise<void> => {
      let added: this | undefined;
      try {
        added = await this.addPath(reader);
      } finally {
        // Also where it may not be read: it would keep all writers out.
        if (!added) await remover.remove(lease, reader);
      }
      if (!added) return;
      this.#node = reader;
      await this.drop(path);
    };
    try {
      await create();
      await handOver();
    } catch (error) {
      // Where no reader's node can be made, the readers keep the writer's: safe, if not generous.
      if (!isConnectionError(error)) return;
      // Where the session ends first, there is nothing left to hand over.
      void retryUntilAnswered(session, lease, create)
        .then(handOver)
        .catch(() => undefined);
    }
  }
}

/**
 * A name for a node of the other mode in the same place of the queue: with the sequence number of the
 * node at `path`, as Curator gives it to the reader of a downgrade.
 */
export function twinOf(dialect: Dialect, path: string, mode: LockMode): string {
  const sequence = dialect.sequenceText(nameOf(path));
  return join(parentOf(path), dialect.nodePrefix[mode](randomUUID()) + sequence);
}

/** May be repeated when its answer was lost: no other node has this name. */
export async function createTwin(
  { session, remover }: Pick<QueueContext, 'session' | 'remover'>,
  lease: SessionLease,
  twin: string,
  data: string,
): Promise<void> {
  remover.nodes.reserve(lease, twin);
  try {
    await ensureNode(session, lease, twin, Buffer.from(data), 'ephemeral');
  } catch (error) {
    if (isConnectionError(error)) remover.doubt(lease, twin);
    else remover.nodes.remove(lease, twin);
    throw error;
  }
}

/** One call for a lock, with everything decided. */
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
  readonly marginMs: number;
  /** What its node says of its use. */
  readonly use?: NodeUse;
  /** Locks of the same call that are held already. */
  readonly heldBefore?: readonly HeldLock[];
  /** Where it is inside of locks. */
  readonly nesting?: Nesting | undefined;
}

/** What stands for the key of a lock; that of a call with several keys stands for all of them. */
function patternOf({ kind, key, pattern }: LockRequest): string {
  return kind === 'multi' ? key : (pattern ?? key);
}

/**
 * Queues up for a lock as long as `wait` allows.
 *
 * @throws as {@link acquire}
 */
export function takeLock(
  request: LockRequest,
  wait: Wait,
  context: LocksContext,
): Promise<LockGrant> {
  const { key, mode, marginMs } = request;
  const queue = readWriteQueue(request, context);
  const claim = (own: OwnNode): Promise<LockGrant | undefined> =>
    new LockGrant(context, own, key, mode, queue.place.data, marginMs).add(own);
  const isTaken = context.keepsLocks ? isBusyUnlessKept : isBusy;
  return acquire(queue, request, wait, claim, isTaken);
}

type QueueRequest = Pick<LockRequest, 'mode' | 'directory' | 'label' | 'use' | 'nesting'>;

/** The queue of a read/write lock, as it is for a contender in this mode. */
export function readWriteQueue(
  { mode, directory, label, use, nesting }: QueueRequest,
  context: LocksContext,
): Queue {
  const { queues, dialect, application } = context;
  const data = ownHolderData(application, label, nesting ? { ...use, holds: nesting.holds } : use);
  const prefix = dialect.nodePrefix[mode];
  const place = { directory, prefix, data, nesting, isShared: use?.cohort };
  return { context, queues, dialect, mode, place };
}
