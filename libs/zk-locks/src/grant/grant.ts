import {
  callAll,
  LazySignal,
  type LeaseListener,
  type LeaseLossReason,
  type LeaseValidity,
  membersInJson,
  type SessionLease,
  type Transaction,
} from 'zk-client/recipes';
import type { GuardKind } from '../guard-kind.js';
import {
  LockLostError,
  LockRevokedError,
  type LockLossReason,
  LockReleasedError,
} from '../lock-errors.js';
import { fencingToken } from '../queue/dialect.js';
import { type Standing, transactUnder } from './transact.js';
import type { Breaker } from '../telemetry/events.js';
import { type NodeKeeper, type NodeLossReason, OwnNode } from '../queue/own-node.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { Lock, LockMode, ReleaseMode } from '../lock.js';

type GrantState =
  | { readonly name: 'held' }
  | { readonly name: 'lost'; readonly error: LockLostError }
  | { readonly name: 'released'; readonly done: Promise<void> };

const HELD: GrantState = { name: 'held' };

/**
 * What was granted to a call, and is shared with the calls that join it.
 *
 *     held ──► lost ──► released        held ──► released
 *
 * A lost grant stays lost; its release only cleans up.
 */
export abstract class Grant {
  readonly #loss = new LazySignal<LockLostError>();
  readonly #revocation = new LazySignal<LockRevokedError>();
  #onSettled: readonly (() => void)[] = [];
  #state = HELD;
  #shares = 0;
  #writers = 0;

  abstract readonly key: string;
  abstract readonly mode: GuardKind;
  abstract readonly fencingToken: bigint;

  /** What stands for it in ZooKeeper. */
  abstract readonly standing: Standing;

  /**
   * From now on it is lost at least so long before the lease deadline. All who share it share the
   * largest margin.
   *
   * @throws {ZkLockConfigError} where the session is too short for that
   */
  abstract widenMargin(marginMs: number): void;
  /** Resolves when the clock can tell whether it is held; at once except after a jump of the clock. */
  abstract whenCertain(): Promise<void>;
  /** Why it is lost at this moment, by the clock. Asking may lose it for good. */
  protected abstract findLoss(): LockLossReason | undefined;
  /** Gives back what it stands for. Never rejects. */
  protected abstract giveBack(): Promise<void>;

  /** Only readers share what was granted to a writer. Never rejects. */
  protected stopWriting(): Promise<void> {
    return Promise.resolve();
  }

  /** Aborts with a {@link LockLostError}. */
  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  /** Aborts with a {@link LockRevokedError} when another process asks for it. */
  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  get isReleased(): boolean {
    return this.#state.name === 'released';
  }

  /** Whether it is lost for good; while that is uncertain, there is only a {@link loss}. */
  protected get isLost(): boolean {
    return this.#state.name === 'lost';
  }

  /** The loss, decided by the clock at this moment; undefined while it is held. */
  get loss(): LockLostError | undefined {
    const reason = this.findLoss();
    if (this.#state.name === 'lost') return this.#state.error;
    return reason && this.#newLoss(reason);
  }

  share(mode: GuardKind): void {
    this.#shares++;
    if (mode === 'write') this.#writers++;
  }

  /** Lets go of one share: with the last one everything is released. */
  unshare(mode: GuardKind): Promise<void> {
    this.#shares--;
    if (mode === 'write') this.#writers--;
    if (this.#shares === 0) return this.release();
    return this.#writers === 0 && this.mode === 'write' ? this.stopWriting() : Promise.resolve();
  }

  /** Idempotent, and never rejects. */
  release(): Promise<void> {
    if (this.#state.name === 'released') return this.#state.done;
    const done = this.giveBack();
    this.#state = { name: 'released', done };
    this.onEnd();
    return done;
  }

  /** @param brokenBy who has taken it away */
  lose(reason: LockLossReason, brokenBy?: Breaker): void {
    if (this.#state.name !== 'held') return;
    const error = this.#newLoss(reason, brokenBy);
    this.#state = { name: 'lost', error };
    this.onEnd();
    this.#loss.abort(error);
  }

  revoke(): void {
    if (this.#state.name !== 'held' || this.#revocation.aborted) return;
    this.#revocation.abort(new LockRevokedError(this.key, this.mode));
  }

  /** Calls `listener` once it is no longer held, for whichever reason. */
  onSettled(listener: () => void): void {
    if (this.#state.name === 'held') this.#onSettled = this.#onSettled.concat(listener);
    else listener();
  }

  /** It is lost or released. */
  protected onEnd(): void {
    const listeners = this.#onSettled;
    this.#onSettled = [];
    callAll(listeners);
  }

  #newLoss(reason: LockLossReason, brokenBy?: Breaker): LockLostError {
    return new LockLostError(this.key, this.mode, reason, { brokenBy });
  }
}

/**
 * A grant by znodes of one session, all of which must stay: it is lost when the lease of the session
 * is over, or when one of them is deleted.
 */
export abstract class NodeGrant extends Grant implements NodeKeeper, LeaseListener, Standing {
  openTransactions = 0;
  #nodes: readonly OwnNode[] = [];
  #validity: LeaseValidity;
  #fencingToken: bigint | undefined;
  #givenBack: Promise<void> | undefined;

  constructor(
    readonly context: Pick<QueueContext, 'session' | 'remover' | 'userPaths'>,
    readonly lease: SessionLease,
    readonly key: string,
    marginMs = 0,
  ) {
    super();
    this.#validity = marginMs === 0 ? lease : lease.within(marginMs);
    this.#validity.listen(this);
  }

  override get standing(): Standing {
    return this;
  }

  get nodePaths(): readonly string[] {
    return this.#nodes.map(({ path }) => path);
  }

  /** Of the first grant under its first node. */
  get fencingToken(): bigint {
    return this.#fencingToken ?? 0n;
  }

  whenCertain(): Promise<void> {
    return this.#validity.whenCertain();
  }

  widenMargin(marginMs: number): void {
    if (marginMs <= this.#validity.marginMs || this.isReleased || this.isLost) return;
    const wider = this.lease.within(marginMs);
    this.#validity.unlisten(this);
    this.#validity = wider;
    wider.listen(this);
  }

  /** Whether it is held, and may be given out with such a margin. */
  isHeldWithin(marginMs: number): boolean {
    if (this.loss !== undefined) return false;
    return marginMs <= this.#validity.marginMs || this.lease.isValidWithin(marginMs);
  }

  /** Whether its nodes are certain to have been there a moment ago, and so to be held, without a request. */
  get hasFreshNews(): boolean {
    if (this.#nodes.some(({ isInDoubt }) => isInDoubt)) return false;
    return this.context.session.hasFreshNews(this.lease);
  }

  /** Reads what has come. {@link hasFreshNews} then. */
  async readNews(): Promise<boolean> {
    const { session } = this.context;
    await session.readNews(this.lease, { asks: true });
    // What is new or has changed is being read: an answer behind those answers.
    const areRead = this.#nodes.every(({ isConfirmed }) => isConfirmed);
    if (!areRead || !this.hasFreshNews) await session.sync(this.lease, '/').catch(() => undefined);
    return this.hasFreshNews;
  }

  /**
   * Takes over a node, which it reads where that was not done: the watch tells of its deletion from
   * now on. Undefined when the node is gone, or is not this session's. The nodes that it had before
   * are still held then; without any, it is lost.
   *
   * @throws {SessionOverError} when the session ends first
   */
  async add(node: OwnNode): Promise<this | undefined> {
    // A push would make room for 17.
    this.#nodes = this.#nodes.concat(node);
    node.keepFor(this);
    let isTaken = false;
    try {
      const czxid = await node.confirm({ readsLater: true });
      if (!this.#validity.isValid()) await this.#validity.whenCertain();
      isTaken = czxid !== undefined && !this.isReleased && this.loss === undefined;
      if (isTaken && czxid !== undefined) this.#fencingToken ??= fencingToken(czxid, node.rank);
    } finally {
      if (!isTaken) this.#forget(node.path);
      if (this.#nodes.length === 0) this.lose('node-deleted');
    }
    return isTaken ? this : undefined;
  }

  /** As {@link add}, with a node that was created by this name. */
  addPath(path: string): Promise<this | undefined> {
    return this.add(new OwnNode(this.context.session, this.lease, path));
  }

  /** Removes one of several nodes; what it stood for is not held any more, the rest is. */
  async drop(path: string): Promise<void> {
    this.#forget(path);
    await this.context.remover.remove(this.lease, path, 'replaced');
  }

  onLost(reason: NodeLossReason): void {
    this.lose(reason);
  }

  onLeaseEnd(reason: LeaseLossReason): void {
    this.lose(reason);
  }

  onRevoked(): void {
    this.revoke();
  }

  /**
   * Gives way at once, or when it is released where its work was promised time to stop: the breaker waits
   * for that, for a moment.
   */
  onBroken(by: Breaker): void {
    const hasTimeToStop = this.#validity.marginMs > 0;
    this.lose('broken', by);
    if (!hasTimeToStop) void this.giveBack();
  }

  protected override findLoss(): LockLossReason | undefined {
    return this.#validity.isValid() ? undefined : (this.#validity.lossReason ?? 'lease-expired');
  }

  protected override giveBack(): Promise<void> {
    this.#givenBack ??= this.#removeNodes();
    return this.#givenBack;
  }

  #removeNodes(): Promise<void> {
    const removals = this.#nodes.map((node) => this.remove(node));
    const [only] = removals;
    return only && removals.length === 1 ? only : Promise.all(removals).then(() => undefined);
  }

  protected remove({ path }: OwnNode): Promise<void> {
    return this.context.remover.remove(this.lease, path);
  }

  protected override onEnd(): void {
    for (const node of this.#nodes) node.stop();
    this.#validity.unlisten(this);
    super.onEnd();
  }

  #forget(path: string): void {
    this.#nodes.find((node) => node.path === path)?.stop();
    this.#nodes = this.#nodes.filter((node) => node.path !== path);
  }
}

/** One caller's share of a {@link Grant}. */
export class Handle<Kind extends GuardKind> implements AsyncDisposable {
  #released: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly mode: Kind,
    readonly grant: Grant,
    protected readonly releaseMode: ReleaseMode = 'wait',
  ) {
    grant.share(mode);
  }

  get signal(): AbortSignal {
    return this.grant.signal;
  }

  get isHeld(): boolean {
    return !this.#released && this.grant.loss === undefined;
  }

  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  assertHeld(): void {
    if (this.#released) throw new LockReleasedError(this.key, this.mode);
    this.throwIfLost();
  }

  /** Resolves once it is certain whether it is held: at once, except after a jump of the clock. */
  async whenCertain(): Promise<void> {
    if (!this.#released) await this.grant.whenCertain();
  }

  /** Like `assertHeld`, but content with one that its own user has released. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.grant;
    if (loss) throw new LockLostError(this.key, this.mode, loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  toJSON(): object {
    return membersInJson(this, 'key', 'mode', 'permits', 'fencingToken', 'isHeld');
  }

  #release(): Promise<void> {
    // Never rejects, and goes on by itself.
    const releasing = this.grant.unshare(this.mode);
    return this.releaseMode === 'wait' ? releasing : Promise.resolve();
  }
}

export class HeldLock extends Handle<LockMode> implements Lock {
  /** @param pattern stands for its key, where that is not asked for by its name alone */
  constructor(
    key: string,
    mode: LockMode,
    grant: Grant,
    release?: ReleaseMode,
    readonly pattern?: string,
  ) {
    super(key, mode, grant, release);
  }

  get fencingToken(): bigint {
    return this.grant.fencingToken;
  }

  get revoked(): AbortSignal {
    return this.grant.revoked;
  }

  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]> {
    return transactUnder([this], build);
  }
}
