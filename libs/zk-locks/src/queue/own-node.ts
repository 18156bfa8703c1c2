import {
  hasReturnCode,
  isConnectionError,
  nameOf,
  type NodeContent,
  type NodeEvent,
  type NodeListener,
  type NodeStat,
  retryUntilAnswered,
  ReturnCode,
  type Session,
  type SessionLease,
  setImmediate,
} from 'zk-client/recipes';
import type { LockLossReason } from '../lock/lock-errors.js';
import type { Breaker } from '../lock/holder.js';
import { requestIn } from '../nodes/holder-data.js';

/** How often a node is read if its answers come late, or if it is written to meanwhile. */
const MOST_READS = 3;

/** The node is gone although its session lives, or no event would report its deletion. */
type NodeLossReason = Extract<LockLossReason, 'node-deleted' | 'node-unreadable'>;

/** The object that depends on a node. */
export interface NodeKeeper {
  /** Called when the node is gone, or its deletion would go unnoticed. */
  lose(reason: NodeLossReason): void;
  /** Called when another process asks for the node's lock. */
  revoke?(): void;
  /** Called when another process breaks the node's lock. */
  onBroken?(by: Breaker): void;
}

const NOT_NEW: CreatedNode = { czxid: undefined, sentAt: -Infinity };

interface Read extends NodeContent {
  /** The number of events that had arrived when it was requested. */
  readonly events: number;
}

/** A node of which nothing is known but the answer to its creation. */
export interface CreatedNode {
  /** Undefined where that was lost: then nothing is known. */
  readonly czxid: bigint | undefined;
  /** When what was answered was sent, by the clock of the news: nothing was heard of the node since. */
  readonly sentAt: number;
  /** In the transaction that created it: see {@link fencingToken}. */
  readonly rank?: number | undefined;
}

/** The queue that a node is in. */
export interface OwnNodeListener {
  onOwnNodeGone(name: string): void;
}

/**
 * A znode of this process, which other clients may delete or write to, together with the watch that
 * reports it. It exists from the wait in the queue until the node is given up.
 */
export class OwnNode implements NodeListener {
  #keeper: NodeKeeper | undefined;
  #confirming: Promise<bigint | undefined> | undefined;
  #reading: Promise<bigint | undefined> | undefined;
  #czxid: bigint | undefined;
  /** {@link CreatedNode.sentAt}, while the answer to its creation is all there is to know. */
  #createdAt: number | undefined;
  /** The same, once its keeper has relied on it instead of a read that sets its watch. */
  #unwatchedSince = Infinity;
  /** Whether the latest answer about it arrived after the latest event. */
  #isCurrent = false;
  #hasChanged = false;
  /** The number of events so far: an answer to an earlier request is outdated. */
  #events = 0;
  #loss: NodeLossReason | undefined;
  #isRevoked = false;
  #brokenBy: Breaker | undefined;
  #isStopped = false;
  /** See {@link fencingToken}. */
  readonly rank: number;

  constructor(
    private readonly session: Session,
    readonly lease: SessionLease,
    readonly path: string,
    { czxid, sentAt, rank = 0 }: CreatedNode = NOT_NEW,
    private readonly queue?: OwnNodeListener,
  ) {
    this.#czxid = czxid;
    if (czxid !== undefined) this.#createdAt = sentAt;
    this.rank = rank;
    session.watch(path, this);
  }

  get name(): string {
    return nameOf(this.path);
  }

  get czxid(): bigint | undefined {
    return this.#czxid;
  }

  /** Whether it is known to exist, with nothing having happened since. */
  get isConfirmed(): boolean {
    return this.#isCurrent && !this.isLost && !this.#isStopped;
  }

  /** Whether nothing is known to have happened to it, and recent answers, or its watch, would say so. */
  get isUnchanged(): boolean {
    if (this.#hasChanged) return false;
    return this.#isCurrent || this.session.news.isRecent(this.#unwatchedSince);
  }

  /** Whether it is known to be gone, or not to be ours. */
  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  /** Sets its keeper, which is notified immediately of what has happened before. */
  keepFor(keeper: NodeKeeper): void {
    this.#keeper = keeper;
    if (this.#isRevoked) keeper.revoke?.();
    if (this.#brokenBy) keeper.onBroken?.(this.#brokenBy);
    if (this.#loss) keeper.lose(this.#loss);
  }

  /**
   * Whether recent answers say that it is ours. For a new node, the answer to its creation does: it
   * is read in the next turn of the event loop, unless it is given up before that, and its keeper is
   * notified if it is gone by then.
   */
  isRecentlyKnown(): boolean {
    const { session, lease } = this;
    if (this.#loss) return false;
    if (this.#isCurrent && session.hasFreshNews(lease)) return true;
    if (this.#createdAt === undefined || !session.news.isRecent(this.#createdAt)) return false;
    this.#unwatchedSince = this.#createdAt;
    this.#createdAt = undefined;
    setImmediate(recheck, this);
    return true;
  }

  /**
   * Like {@link read}, until the answer is recent.
   *
   * @throws {SessionOverError} when the session ends first
   */
  confirm(): Promise<bigint | undefined> {
    this.#confirming ??= this.#confirm().finally(() => (this.#confirming = undefined));
    return this.#confirming;
  }

  onNodeEvent(event: NodeEvent | 'gap'): void {
    this.#events++;
    this.#createdAt = undefined;
    this.#isCurrent = false;
    this.#hasChanged = true;
    if (event === 'deleted') this.lose();
    else void this.#recheck();
  }

  /** Reads it again, as after an event, if it has a keeper. */
  recheck(): void {
    if (!this.#isStopped) void this.#recheck();
  }

  stop(): void {
    this.#isStopped = true;
    this.session.unwatch(this.path, this);
  }

  /** Called when it has no keeper any more and is about to be removed. */
  abandon(): void {
    this.lose();
    this.stop();
  }

  /** Called when it is gone, or its deletion would go unnoticed. */
  lose(reason: NodeLossReason = 'node-deleted'): void {
    if (this.#loss) return;
    this.#loss = reason;
    if (reason === 'node-deleted') this.stop();
    this.#keeper?.lose(reason);
    this.queue?.onOwnNodeGone(this.name);
  }

  /**
   * Reads it and sets the watch, unless an earlier call did and nothing has happened since. Returns
   * its czxid, or undefined if it is gone or belongs to another session.
   *
   * @throws {SessionOverError} when the session ends first
   */
  read(): Promise<bigint | undefined> {
    this.#createdAt = undefined;
    if (this.#loss || this.#isCurrent) return Promise.resolve(this.#loss ? undefined : this.#czxid);
    this.#reading ??= this.#readOwn().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #confirm(): Promise<bigint | undefined> {
    const { session, lease } = this;
    await this.read();
    // The process may have stalled since it was read, or since the read was requested.
    let areFresh = this.isLost || session.hasFreshNews(lease);
    if (!areFresh) areFresh = await session.readNews(lease, { asks: false });
    for (let reads = 0; reads < MOST_READS; reads++) {
      if (this.#loss || (areFresh && this.#isCurrent)) break;
      await this.#readOwn();
      areFresh = session.news.isRecent(session.news.heardAt);
    }
    return this.#loss || !this.#isCurrent ? undefined : this.#czxid;
  }

  async #readOwn(): Promise<bigint | undefined> {
    const { session, lease } = this;
    try {
      const read = await retryUntilAnswered(session, lease, () => this.#read());
      const { stat } = read;
      this.#czxid ??= stat.czxid;
      if (this.#isOwn(stat)) {
        this.#onRead(read);
        return this.#czxid;
      }
      // It was created by this session: the session's id differs from what the connection's
      // handshake said.
      if (stat.ephemeralOwner !== lease.sessionId) session.distrust(lease);
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
    }
    this.#loss ??= 'node-deleted';
    return undefined;
  }

  /**
   * Called after a change, which used up the watch, or after a gap in which events may be missing.
   * After `stop`, no event is reported.
   */
  async #recheck(): Promise<void> {
    try {
      const read = await this.#read();
      if (this.#isStopped) return;
      if (this.#czxid !== undefined && !this.#isOwn(read.stat)) this.lose();
      else this.#onRead(read);
    } catch (error) {
      // A lost connection is followed by a gap, or by the end of the session.
      if (this.#isStopped || isConnectionError(error)) return;
      const isGone = hasReturnCode(error, ReturnCode.noNode);
      this.lose(isGone ? 'node-deleted' : 'node-unreadable');
    }
  }

  #onRead({ data, stat, events }: Read): void {
    if (events === this.#events) {
      this.#isCurrent = this.#czxid !== undefined;
      this.#hasChanged = false;
    }
    // Only data that were written after the creation can contain a request.
    const request = stat.version === 0 ? undefined : requestIn(data);
    if (request === 'revoke' && !this.#isRevoked) {
      this.#isRevoked = true;
      this.#keeper?.revoke?.();
    } else if (typeof request === 'object' && !this.#brokenBy) {
      this.#brokenBy = request;
      this.#keeper?.onBroken?.(request);
    }
  }

  #isOwn({ czxid, ephemeralOwner }: NodeStat): boolean {
    return czxid === this.#czxid && ephemeralOwner === this.lease.sessionId;
  }

  async #read(): Promise<Read> {
    const events = this.#events;
    const content = await this.session.get(this.lease, this.path, { watch: true });
    return { ...content, events };
  }
}

const recheck = (node: OwnNode): void => node.recheck();
