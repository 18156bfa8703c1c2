import { randomUUID } from 'node:crypto';
import {
  createNode,
  type LeaseListener,
  type LeaseLossReason,
  type LeaseValidity,
  nameOf,
  type NewNode,
  parentOf,
  type SessionLease,
} from 'zk-client/recipes';
import type { LockKind } from '../lock/lock-kind.js';
import type { LockMode } from '../lock/lock.js';
import { type Dialect, sequenceOf } from '../nodes/dialect.js';
import { fencingToken } from '../nodes/fencing-token.js';
import { dataOfTwin } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type NodeKeeper, type NodeLossReason, OwnNode } from '../queue/own-node.js';
import type { Breaker } from '../telemetry/events.js';
import { Grant } from './grant.js';
import type { GrantedNodes } from './transact.js';

/** What is granted. */
export interface Granted {
  readonly key: string;
  readonly mode: LockKind;
  /** What its nodes say about their holder. */
  readonly data?: string;
}

/**
 * A grant by znodes of one session, all of which must stay: it is lost when the lease of the session
 * is over, or when one of them is deleted.
 *
 * When the last writer among the calls that share it lets go while readers remain, it is downgraded: a
 * reader's node with the writer's own sequence number takes the place of the writer's, so that other
 * readers are let in and no writer that waits can slip in between. The fencing token stays the same.
 */
export class NodeGrant extends Grant implements NodeKeeper, LeaseListener, GrantedNodes {
  readonly key: string;
  openTransactions = 0;
  #mode: LockKind;
  readonly #data: string;
  /** Its first node, which was granted. */
  #path = '';
  /** The node that stands in the queue for it. */
  #queued = '';
  /** What an upgrade has added. */
  #writer: string | undefined;
  #nodes: readonly OwnNode[] = [];
  readonly #validity: LeaseValidity;
  #fencingToken: bigint | undefined;
  #givenBack: Promise<void> | undefined;

  constructor(
    readonly context: Pick<QueueContext, 'session' | 'remover' | 'lists' | 'userPaths' | 'dialect'>,
    readonly lease: SessionLease,
    { key, mode, data = '' }: Granted,
  ) {
    super();
    this.key = key;
    this.#mode = mode;
    this.#data = data;
    this.#validity = lease.holding;
    this.#validity.listen(this);
  }

  get mode(): LockKind {
    return this.#mode;
  }

  override get nodes(): GrantedNodes {
    return this;
  }

  /** Of the node that was granted. */
  get path(): string {
    return this.#path;
  }

  /** Of the node that stands in the queue for it. */
  get nodeName(): string {
    return nameOf(this.#queued);
  }

  /** Of all its nodes in a queue: no other contender has a node with this number. */
  get sequence(): number {
    return sequenceOf(this.#path);
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

  /** Whether its nodes are certain to have been there a moment ago, and so to be held, without a request. */
  get hasFreshNews(): boolean {
    if (this.#nodes.some(({ hasChanged }) => hasChanged)) return false;
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
    if (this.#nodes.length === 0) this.#path = this.#queued = node.path;
    // A push would make room for 17.
    this.#nodes = this.#nodes.concat(node);
    node.keepFor(this);
    let isTaken = false;
    try {
      const czxid = await node.confirm({ readsLater: true });
      if (!this.isValid()) await this.whenCertain();
      isTaken = czxid !== undefined && this.isHeld;
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

  /**
   * Makes a reader a writer by a node that has been added, for as long as a writer shares it: the
   * caller does, from now on.
   */
  startWriting(node: string): void {
    this.#mode = 'write';
    this.#writer = node;
    this.share('write');
  }

  protected override async stopWriting(): Promise<void> {
    const writer = this.#writer;
    this.#mode = 'read';
    this.#writer = undefined;
    if (writer !== undefined) await this.drop(writer);
    // Of what is lost, nothing is handed over: another contender may have the place by now.
    else if (!this.isLost) await this.#downgrade();
  }

  protected override isValid(): boolean {
    const isValid = this.#validity.isValid();
    const { lossReason } = this.#validity;
    // Of several grants that end with one lease, another may be told first, and this one be asked then.
    if (lossReason) this.lose(lossReason);
    return isValid;
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
    const removal = this.openTransactions === 0 ? 'granted' : 'unused';
    return this.context.remover.remove(this.lease, path, removal);
  }

  protected override onEnd(): void {
    // The queue of a node that is lost, and not given back yet, has to hear when it goes.
    const isOver = this.isReleased || this.lease.lossReason !== undefined;
    if (isOver) for (const node of this.#nodes) node.stop();
    this.#validity.unlisten(this);
    super.onEnd();
  }

  /** Resolves when the writer's node is gone, or when that goes on in the background. Never rejects. */
  #downgrade(): Promise<void> {
    const { context, lease, path, fencingToken: token } = this;
    return new Promise((resolve) => {
      const data = dataOfTwin(this.#data, token);
      const twin = twinOf(context.dialect, path, 'read', data, resolve);
      createNode(context, lease, twin)
        .then((reader) => this.#handOver(reader.path))
        // Where no reader's node can be made, the readers keep the writer's: safe, if not generous.
        .then(resolve, () => resolve());
    });
  }

  async #handOver(reader: string): Promise<void> {
    let added: this | undefined;
    try {
      added = await this.addPath(reader);
    } finally {
      // Also where it may not be read: it would keep all writers out.
      if (!added) await this.context.remover.remove(this.lease, reader);
    }
    if (!added) return;
    this.#queued = reader;
    await this.drop(this.#path);
  }

  #forget(path: string): void {
    this.#nodes.find((node) => node.path === path)?.stop();
    this.#nodes = this.#nodes.filter((node) => node.path !== path);
  }
}

/**
 * A node of the other mode in the same place of the queue: with the sequence number of the node at
 * `path`, as Curator gives it to the reader of a downgrade.
 */
export function twinOf(
  dialect: Dialect,
  path: string,
  mode: LockMode,
  data: string,
  onUnanswered?: () => void,
): NewNode {
  const sequence = dialect.sequenceText(nameOf(path));
  const newName = (): string => dialect.nodePrefix[mode](randomUUID()) + sequence;
  return { directory: parentOf(path), mode: 'ephemeral', newName, data, onUnanswered };
}
