import { randomUUID } from 'node:crypto';
import {
  createNode,
  hasReturnCode,
  type LeaseListener,
  type LeaseLossReason,
  type LeaseValidity,
  nameOf,
  type NewNode,
  parentOf,
  retryUntilAnswered,
  ReturnCode,
  type SessionLease,
} from 'zk-client/recipes';
import type { LockKind } from '../lock/lock-kind.js';
import type { LockMode } from '../lock/lock.js';
import { type Dialect, sequenceOf } from '../nodes/dialect.js';
import { fencingToken } from '../nodes/fencing-token.js';
import { amendData } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type NodeKeeper, OwnNode } from '../queue/own-node.js';
import type { Breaker } from '../lock/holder.js';
import { Grant } from './grant.js';
import type { GrantedNodes } from './transact.js';

export interface Granted {
  readonly key: string;
  readonly mode: LockKind;
  /** The holder data in its nodes. */
  readonly data?: string;
}

/**
 * A grant based on znodes of one session, all of which must exist: it is lost when the session's
 * lease ends, or when one of them is deleted.
 *
 * When the last writer that shares it releases its share while readers remain, the grant is
 * downgraded: a reader's node with the writer's own sequence number replaces the writer's node.
 * Other readers are let in, and no waiting writer can get in between. The fencing token stays the
 * same.
 */
export class NodeGrant extends Grant implements NodeKeeper, LeaseListener, GrantedNodes {
  readonly key: string;
  openTransactions = 0;
  #mode: LockKind;
  readonly #data: string;
  /** Its first node, the one that was granted. */
  #path = '';
  /** The node that is in the queue. */
  #queued = '';
  /** The node that an upgrade has added. */
  #writer: string | undefined;
  #nodes: readonly OwnNode[] = [];
  readonly #validity: LeaseValidity;
  #fencingToken: bigint | undefined;
  #givenBack: Promise<void> | undefined;

  constructor(
    readonly context: QueueContext,
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

  /** The path of the node that was granted. */
  get path(): string {
    return this.#path;
  }

  /** The name of the node that is in the queue. */
  get nodeName(): string {
    return nameOf(this.#queued);
  }

  /** The sequence number that all its nodes in a queue share, and no other contender's node has. */
  get sequence(): number {
    return sequenceOf(this.#path);
  }

  get nodePaths(): readonly string[] {
    return this.#nodes.map(({ path }) => path);
  }

  /** The token of the first grant under its first node. */
  get fencingToken(): bigint {
    return this.#fencingToken ?? 0n;
  }

  whenCertain(): Promise<void> {
    return this.#validity.whenCertain();
  }

  /** Whether its nodes certainly existed a moment ago, so that it is held, without a request. */
  get hasFreshNews(): boolean {
    if (!this.#nodes.every(({ isUnchanged }) => isUnchanged)) return false;
    return this.context.session.hasFreshNews(this.lease);
  }

  /** Reads what has happened to its nodes. Returns {@link hasFreshNews}: also false if the answers came too late. */
  async readNews(): Promise<boolean> {
    const { session } = this.context;
    await session.readNews(this.lease, { asks: true });
    // New and changed nodes are being read already; this read is answered after those.
    const areRead = this.#nodes.every(({ isConfirmed }) => isConfirmed);
    if (!areRead || !this.hasFreshNews) await session.sync(this.lease, '/').catch(() => undefined);
    return this.hasFreshNews;
  }

  /**
   * Takes over a node, and reads it if that has not been done yet: from now on, the watch reports
   * its deletion. Returns undefined if the node is gone or belongs to another session. The nodes
   * that the grant already has are still held in that case; without any, the grant is lost.
   *
   * @throws {SessionOverError} when the session ends first
   */
  async add(node: OwnNode): Promise<this | undefined> {
    if (this.#nodes.length === 0) this.#path = this.#queued = node.path;
    // push() would reserve room for 17 elements.
    this.#nodes = this.#nodes.concat(node);
    node.keepFor(this);
    let isTaken = false;
    try {
      const czxid = node.isRecentlyKnown() ? node.czxid : await node.confirm();
      if (!this.isValid()) await this.whenCertain();
      isTaken = czxid !== undefined && this.isHeld;
      if (isTaken && czxid !== undefined) this.#fencingToken ??= fencingToken(czxid, node.rank);
    } finally {
      if (!isTaken) this.#forget(node.path);
      if (this.#nodes.length === 0) this.lose('node-deleted');
    }
    return isTaken ? this : undefined;
  }

  /** Like {@link add}, with a node that was created by this name. */
  addPath(path: string): Promise<this | undefined> {
    return this.add(new OwnNode(this.context.session, this.lease, path));
  }

  /** Removes one of several nodes. The lock it stands for is no longer held, but the others are. */
  async drop(path: string): Promise<void> {
    this.#forget(path);
    await this.context.remover.remove(this.lease, path);
  }

  /** Gives it up before a caller has seen it. The call that created its nodes removes them. */
  discard(): void {
    this.lose('node-deleted');
    for (const { path } of this.#nodes) this.#forget(path);
  }

  onLeaseEnd(reason: LeaseLossReason): void {
    this.lose(reason);
  }

  /**
   * Gives way immediately, or when it is released if its work was promised time to stop. The
   * breaker waits for that for a moment.
   */
  onBroken(by: Breaker): void {
    const hasTimeToStop = this.#validity.marginMs > 0;
    this.lose('broken', by);
    if (!hasTimeToStop) void this.giveBack();
  }

  /**
   * Turns a reader into a writer by means of a node that has been added, for as long as a writer
   * shares the grant. The caller is the first.
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
    // A lost lock is not handed over: another contender may have its place by now.
    else if (!this.loss && !this.isReleased) await this.#downgrade();
  }

  protected override isValid(): boolean {
    const isValid = this.#validity.isValid();
    const { lossReason } = this.#validity;
    // If one lease ends several grants, another may be told first, and this one be asked during
    // that.
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
    // The queue has to hear when the node of a lost, unreleased grant goes away.
    const isOver = this.isReleased || this.lease.lossReason !== undefined;
    if (isOver) for (const node of this.#nodes) node.stop();
    this.#validity.unlisten(this);
    super.onEnd();
  }

  /**
   * Resolves when the writer's node is gone, or its removal continues in the background. Never
   * rejects.
   */
  #downgrade(): Promise<void> {
    const { context, lease, path, fencingToken: token } = this;
    return new Promise((resolve) => {
      const data = amendData(this.#data, { token: String(token) });
      const twin = twinOf(context.dialect, path, 'read', data, resolve);
      createNode(context, lease, twin)
        .then((reader) => this.#handOver(reader.path, data))
        // If no reader's node can be created, the readers keep the writer's, which is safe, but keeps others out.
        .then(resolve, () => resolve());
    });
  }

  async #handOver(reader: string, data: string): Promise<void> {
    let isAnnounced = false;
    try {
      if (await this.addPath(reader)) {
        await this.#announce(data);
        isAnnounced = true;
      }
    } finally {
      // Also removed if it cannot be read: it would keep all writers out.
      if (!isAnnounced) await this.drop(reader);
    }
    if (!isAnnounced) return;
    this.#queued = reader;
    await this.drop(this.#path);
  }

  /** Contenders that wait for the writer's node would otherwise take its deletion for the end of the lock. */
  async #announce(data: string): Promise<void> {
    const { context, lease } = this;
    const writer = this.#nodes.find(({ path }) => path === this.#path);
    try {
      await retryUntilAnswered(context.session, lease, () =>
        context.session.set(lease, this.#path, Buffer.from(data), 0),
      );
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.badVersion)) throw error;
      // Data that another process has written also announce it, and may ask for the lock.
      await writer?.read();
    }
  }

  #forget(path: string): void {
    this.#nodes.find((node) => node.path === path)?.stop();
    this.#nodes = this.#nodes.filter((node) => node.path !== path);
  }
}

/**
 * A node of the other mode in the same place of the queue: it has the sequence number of the node
 * at `path`, as Curator gives it to the reader of a downgrade.
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
