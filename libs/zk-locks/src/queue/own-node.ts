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
import type { Breaker } from '../telemetry/events.js';
import { requestIn } from '../nodes/holder-data.js';

/** How often a node is read whose answers come late, or while it is written to. */
const MOST_READS = 3;

/** It is gone although its session lives, or no event would tell of its deletion. */
export type NodeLossReason = Extract<LockLossReason, 'node-deleted' | 'node-unreadable'>;

/** The object that depends on a node. */
export interface NodeKeeper {
  onLost(reason: NodeLossReason): void;
  /** A process asks for the lock of the node. */
  onRevoked(): void;
  /** It is taken away. */
  onBroken?(by: Breaker): void;
  /** It was read: it is there, and its watch is set. */
  onConfirmed?(): void;
}

const NOT_NEW: CreatedNode = { czxid: undefined, sentAt: -Infinity };

interface Read extends NodeContent {
  /** How many events had come when it was asked. */
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
 * A znode of this process, which other clients may delete or write to, and the watch that tells of it,
 * from the time when it waits in the queue until it is given up.
 */
export class OwnNode implements NodeListener {
  #keeper: NodeKeeper | undefined;
  #confirming: Promise<bigint | undefined> | undefined;
  #reading: Promise<bigint | undefined> | undefined;
  #czxid: bigint | undefined;
  /** Whether what its creation has told is all there is to know. */
  #isNew: boolean;
  /** Whether the latest answer about it came after the latest event. */
  #isCurrent = false;
  #hasChanged = false;
  /** How many events have come: an answer to what was asked before is old. */
  #events = 0;
  #loss: NodeLossReason | undefined;
  #isRevoked = false;
  #brokenBy: Breaker | undefined;
  #isStopped = false;
  readonly #sentAt: number;
  /** See {@link fencingToken}. */
  readonly rank: number;
  readonly name: string;

  constructor(
    private readonly session: Session,
    readonly lease: SessionLease,
    readonly path: string,
    { czxid, sentAt, rank = 0 }: CreatedNode = NOT_NEW,
    private readonly queue?: OwnNodeListener,
  ) {
    this.#czxid = czxid;
    this.#isNew = czxid !== undefined;
    this.#sentAt = sentAt;
    this.rank = rank;
    this.name = nameOf(path);
    session.watch(path, this);
  }

  /** Undefined until it is known. */
  get czxid(): bigint | undefined {
    return this.#czxid;
  }

  /** Whether it is known to be there, and nothing has happened since. */
  get isConfirmed(): boolean {
    return this.#isCurrent && !this.isLost && !this.#isStopped;
  }

  /** Whether something has happened to it that has not been read yet. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Whether it is known to be gone, or not to be ours. */
  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  /** Gives it a keeper, which hears at once of what has happened before. */
  keepFor(keeper: NodeKeeper): void {
    this.#keeper = keeper;
    if (this.#isRevoked) keeper.onRevoked();
    if (this.#brokenBy) keeper.onBroken?.(this.#brokenBy);
    if (this.#loss) keeper.onLost(this.#loss);
  }

  /**
   * As {@link read}, by fresh news. Of a new node the answer is known before it is read, unless its
   * creation took long: if it has gone by then, its keeper is told.
   *
   * @param options `readsLater`: a new one is not read in this turn of the event loop, nor at all when
   * it is given up by the next one
   * @throws {SessionOverError} when the session ends first
   */
  confirm({ readsLater = false } = {}): Promise<bigint | undefined> {
    const { session, lease } = this;
    if (this.#loss) return Promise.resolve(undefined);
    if (this.#isCurrent && session.hasFreshNews(lease)) return Promise.resolve(this.#czxid);
    if (this.#isNew && session.news.isRecent(this.#sentAt)) {
      this.#isNew = false;
      if (readsLater) setImmediate(recheck, this);
      else void this.#recheck();
      return Promise.resolve(this.#czxid);
    }
    this.#confirming ??= this.#confirm().finally(() => (this.#confirming = undefined));
    return this.#confirming;
  }

  onNodeEvent(event: NodeEvent | 'gap'): void {
    this.#events++;
    this.#isNew = false;
    this.#isCurrent = false;
    this.#hasChanged = true;
    if (event === 'deleted') this.lose();
    else void this.#recheck();
  }

  /** Reads it again, as after an event, while it has a keeper. */
  recheck(): void {
    if (!this.#isStopped) void this.#recheck();
  }

  stop(): void {
    this.#isStopped = true;
    this.session.unwatch(this.path, this);
  }

  /** It has no keeper any more, and is about to be removed. */
  abandon(): void {
    this.lose();
    this.stop();
  }

  /** It is gone, or its deletion would not be heard of. */
  lose(reason: NodeLossReason = 'node-deleted'): void {
    if (this.#loss) return;
    this.#loss = reason;
    if (reason === 'node-deleted') this.stop();
    this.#keeper?.onLost(reason);
    this.queue?.onOwnNodeGone(this.name);
  }

  /**
   * Reads it, and sets the watch, unless an earlier call did and nothing has happened since. Its czxid;
   * undefined when it is gone, or is not this session's.
   *
   * @throws {SessionOverError} when the session ends first
   */
  read(): Promise<bigint | undefined> {
    this.#isNew = false;
    if (this.#loss || this.#isCurrent) return Promise.resolve(this.#loss ? undefined : this.#czxid);
    this.#reading ??= this.#readOwn().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #confirm(): Promise<bigint | undefined> {
    const { session, lease } = this;
    await this.read();
    // The process may have stalled since it was read, or since that was asked.
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
      // It was created here: this connection's session has another id than its handshake said.
      if (stat.ephemeralOwner !== lease.sessionId) session.distrust(lease);
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
    }
    this.#loss ??= 'node-deleted';
    return undefined;
  }

  /**
   * After a change, which used up the watch, or a gap in which events may be missing. After
   * `stop`, no event is told.
   */
  async #recheck(): Promise<void> {
    try {
      const read = await this.#read();
      if (this.#isStopped) return;
      if (this.#czxid !== undefined && !this.#isOwn(read.stat)) this.lose();
      else this.#onRead(read);
    } catch (error) {
      // A connection that was lost is followed by a gap, or by the end of the session.
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
    // Only what was written into it later can ask for anything.
    const request = stat.version === 0 ? undefined : requestIn(data);
    if (request === 'revoke' && !this.#isRevoked) {
      this.#isRevoked = true;
      this.#keeper?.onRevoked();
    } else if (typeof request === 'object' && !this.#brokenBy) {
      this.#brokenBy = request;
      this.#keeper?.onBroken?.(request);
    }
    this.#keeper?.onConfirmed?.();
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
