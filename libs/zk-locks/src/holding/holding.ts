import { callAll } from '../session/call-all.js';
import type { Session } from '../session/session.js';
import type { LeaseListener, SessionLease } from '../session/session-lease.js';
import type { SessionLossReason } from '../session/session-state.js';
import {
  LockLostError,
  LockRevokedError,
  type GuardKind,
  type LockLossReason,
} from '../lock-errors.js';
import { fencingToken } from '../queue/fencing-token.js';
import type { NodeRemover } from '../queue/node-remover.js';
import { type NodeKeeper, type NodeLossReason, OwnNode } from '../queue/own-node.js';
import { LazySignal } from '../queue/lazy-signal.js';

export interface HoldingContext {
  readonly session: Session;
  readonly remover: NodeRemover;
  readonly lease: SessionLease;
  readonly key: string;
}

type HoldingState =
  | { readonly name: 'held' }
  | { readonly name: 'lost'; readonly error: LockLostError }
  | { readonly name: 'released'; readonly removal: Promise<void> };

/**
 * What was granted: znodes of one session, all of which must stay.
 *
 * `held` ends in `lost` (its session's lease is over, a node was deleted, the service closed) or in
 * `released`. A lost holding stays lost; when it is released, what may be left of its nodes is removed.
 */
export class Holding implements NodeKeeper, LeaseListener {
  readonly #nodes: OwnNode[] = [];
  readonly #loss = new LazySignal<LockLostError>();
  readonly #revocation = new LazySignal<LockRevokedError>();
  readonly #onSettled: (() => void)[] = [];
  #state: HoldingState = { name: 'held' };
  #fencingToken: bigint | undefined;

  constructor(
    protected readonly context: HoldingContext,
    protected kind: GuardKind,
  ) {
    context.lease.listen(this);
  }

  get key(): string {
    return this.context.key;
  }

  /** Aborts with a {@link LockLostError}. */
  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  /** Aborts with a {@link LockRevokedError} when somebody asks for it. */
  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  /** Of the first grant under its first node. */
  get fencingToken(): bigint {
    return this.#fencingToken ?? 0n;
  }

  get isReleased(): boolean {
    return this.#state.name === 'released';
  }

  /** The loss, decided by the clock at this moment; undefined while it is held. */
  get loss(): LockLostError | undefined {
    // Asking may end the lease, and with it this holding.
    const isValid = this.context.lease.isValid();
    if (this.#state.name === 'lost') return this.#state.error;
    return isValid ? undefined : this.#newLoss('lease-expired');
  }

  /** Whether it is lost for good; while that is uncertain, there is only a {@link loss}. */
  protected get isLost(): boolean {
    return this.#state.name === 'lost';
  }

  /** Resolves when the clock can tell whether it is held; at once but for a pause of the machine. */
  whenCertain(): Promise<void> {
    return this.context.lease.whenCertain();
  }

  /**
   * Makes it a holding of the node, which it reads where nobody has: the watch tells of its deletion
   * from now on. Undefined when the node is gone, or is not this session's; nothing is held then.
   *
   * @throws {SessionOverError} when the session ends first
   */
  claim(node: OwnNode): Promise<this | undefined> {
    return this.#take(node, { isOnly: true });
  }

  /** As {@link claim}, with one more node of the same session; without it the others are still held. */
  async add(node: string | OwnNode): Promise<boolean> {
    const { session, lease } = this.context;
    const own = typeof node === 'string' ? new OwnNode({ session, lease, path: node }) : node;
    return (await this.#take(own, { isOnly: false })) !== undefined;
  }

  /** Removes one of several nodes; what it stood for is not held any more, the rest is. */
  async drop(path: string): Promise<void> {
    this.#forget(path);
    await this.context.remover.remove(this.context.lease, path, 'replaced');
  }

  /** Removes its nodes. Idempotent, and never rejects. */
  release(): Promise<void> {
    if (this.#state.name === 'released') return this.#state.removal;
    const removals = this.#nodes.map((node) => this.remove(node));
    const [only, ...others] = removals;
    const removal =
      only && others.length === 0 ? only : Promise.all(removals).then(() => undefined);
    this.#state = { name: 'released', removal };
    this.#settle();
    return removal;
  }

  protected remove({ path }: OwnNode): Promise<void> {
    const { remover, lease } = this.context;
    return remover.remove(lease, path);
  }

  onLost(reason: NodeLossReason): void {
    this.lose(reason);
  }

  onLeaseEnd(reason: SessionLossReason): void {
    this.lose(reason);
  }

  onRevoked(): void {
    if (this.#revocation.aborted) return;
    this.#revocation.abort(new LockRevokedError(this.key, this.kind));
  }

  lose(reason: LockLossReason): void {
    if (this.#state.name !== 'held') return;
    const error = this.#newLoss(reason);
    this.#state = { name: 'lost', error };
    this.#settle();
    this.#loss.abort(error);
  }

  /** Calls `listener` once it is no longer held, for whichever reason. */
  onSettled(listener: () => void): void {
    if (this.#state.name === 'held') this.#onSettled.push(listener);
    else listener();
  }

  async #take(node: OwnNode, { isOnly }: { isOnly: boolean }): Promise<this | undefined> {
    const { lease } = this.context;
    this.#nodes.push(node);
    node.keepFor(this);
    let isTaken = false;
    try {
      const czxid = await node.confirm({ readsLater: true });
      if (!lease.isValid()) await lease.whenCertain();
      isTaken = czxid !== undefined && this.#state.name === 'held' && this.loss === undefined;
      if (isTaken && czxid !== undefined) this.#fencingToken ??= fencingToken(czxid);
    } finally {
      if (!isTaken) this.#forget(node.path);
      if (!isTaken && isOnly) this.#settle();
    }
    return isTaken ? this : undefined;
  }

  #newLoss(reason: LockLossReason): LockLostError {
    return new LockLostError(this.key, this.kind, reason);
  }

  #forget(path: string): void {
    const index = this.#nodes.findIndex((node) => node.path === path);
    if (index !== -1) for (const node of this.#nodes.splice(index, 1)) node.stop();
  }

  #settle(): void {
    for (const node of this.#nodes) node.stop();
    this.context.lease.unlisten(this);
    callAll(this.#onSettled.splice(0));
  }
}
