import { ReturnCode } from '../../libs/zk-client/src/port/client-errors.js';
import { join, nameOf } from '../../libs/zk-client/src/port/node-path.js';
import type {
  Created,
  NodeContent,
  NodeEvent,
} from '../../libs/zk-client/src/port/zookeeper-client.js';
import { silentLogger } from '../../libs/zk-client/src/logger.js';
import { Access } from '../../libs/zk-client/src/session/access.js';
import type { SessionLease } from '../../libs/zk-client/src/session/session-lease.js';
import { Feed } from '../../libs/zk-client/src/session/feed.js';
import { type NodeListener, NodeWatches } from '../../libs/zk-client/src/session/node-watches.js';
import type { SessionState } from '../../libs/zk-client/src/session/session-state.js';
import {
  CONNECTED,
  connectionLost,
  contentOf,
  type Creation,
  later,
  LOST,
  type ModelClient,
  type ModelNode,
  newLease,
  type NewNode,
  OUR_SESSION,
  refusal,
  type Request,
} from './model-requests.js';

const digits = (sequence: number): string => String(sequence).padStart(10, '0');

/**
 * One lock directory on a server, and our session there. {@link execute} executes requests that
 * were sent. {@link hear} delivers their answers and watch events in order, when the test does so.
 */
export class ModelSession {
  readonly #states = new Feed<SessionState>(CONNECTED);
  lease = newLease();
  readonly access = new Access({}, '/locks', silentLogger);
  client: ModelClient = 'wire';
  nodes: ModelNode[] = [];
  isConnected = true;
  /** The number of the next deletions to refuse. */
  refusals = 0;
  /**
   * The number of the next creations, deletions and lists that a busy server postpones. They are
   * sent again, after requests that were sent in the meantime.
   */
  throttled = 0;
  /** The number of transactions that created several nodes. */
  shared = 0;
  #hasDirectory = true;
  #counter = 0;
  #zxid = 100n;
  /** The zxid of the latest answer that was received. */
  #heardOf = this.#zxid;
  /** The rank of the latest creation, if the next request may join its transaction. */
  #latestRank: number | undefined;
  #answers = 0;
  #sent: Request[] = [];
  /** The first zxid that a server which lags behind does not have yet. */
  #unknownFrom = Infinity;
  /** Deleted nodes, some of which a server that lags behind still shows. */
  #deleted: { readonly node: ModelNode; readonly zxid: bigint }[] = [];
  /**
   * Whether the session was created on this connection, so that its server has all earlier writes.
   */
  #isNew = false;
  /** Requests of an earlier connection, which a follower forwards late. */
  #late: Request[] = [];
  /** Answers and events under way, and what happens if they are lost. */
  #inbox: { readonly tell: () => void; readonly lose: () => void }[] = [];
  readonly #watches = new NodeWatches();
  readonly #watched = new Set<string>();
  #onConnected: (() => void)[] = [];

  constructor(readonly directory: string) {}

  get connectedLease(): SessionLease | undefined {
    return this.isConnected ? this.lease : undefined;
  }

  onState(onState: (state: SessionState) => void): void {
    this.#states.subscribe(onState);
  }

  /** Whether the creation was answered so recently that the node may be assumed to exist. */
  readonly news = { heardAt: 0, now: 0, isRecent: (): boolean => !this.hasStalled };
  /** Whether the process has stalled, and has not yet read what arrived in the meantime. */
  hasStalled = false;

  hasFreshNews(): boolean {
    return this.isConnected && !this.hasStalled;
  }

  async readNews(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    this.hear(Infinity);
    this.hasStalled = false;
    return this.hasFreshNews();
  }

  /** The number of requests and answers that are under way. */
  get underway(): number {
    return this.#sent.length + this.#inbox.length + this.#late.length;
  }

  /** The number of paths that have a listener. */
  get watchedPaths(): number {
    return this.#watches.size;
  }

  // The interface of a session follows.

  create(
    lease: SessionLease,
    path: string,
    _data: Buffer,
    mode: string,
    { rank, onSent }: Creation = {},
  ): Promise<Created> {
    const create = (): Created => {
      if (path === this.directory) {
        if (this.#hasDirectory) throw refusal(ReturnCode.nodeExists);
        this.#hasDirectory = true;
        this.#counter = 0;
        this.#zxid++;
        return { path, czxid: this.#zxid };
      }
      const isSequential = mode === 'ephemeral-sequential';
      const sequence = isSequential ? undefined : Number(path.slice(-10));
      const created = this.add(nameOf(path), true, { sequence, joins: this.#joins(rank) });
      this.#latestRank = rank;
      return { path: join(this.directory, created.name), czxid: created.czxid };
    };
    const creating = this.#send(lease, create, 'create', onSent);
    onSent?.();
    if (this.client === 'wire' || mode !== 'ephemeral-sequential') return creating;
    return creating.then((created) => ({ ...created, czxid: undefined }));
  }

  list(lease: SessionLease): Promise<string[]> {
    return this.#send(
      lease,
      () => {
        if (!this.#hasDirectory) throw refusal(ReturnCode.noNode);
        return this.#known.map(({ name }) => name);
      },
      'list',
    );
  }

  get(lease: SessionLease, path: string, { watch = false } = {}): Promise<NodeContent> {
    return this.#send<NodeContent>(lease, () => {
      const found = this.#known.find(({ name }) => name === nameOf(path));
      if (!found) throw refusal(ReturnCode.noNode);
      if (watch) this.#watched.add(path);
      const isWritten = found.writtenAt !== undefined && this.#isKnown(found.writtenAt);
      return contentOf(found, isWritten ? 1 : 0);
    });
  }

  set(lease: SessionLease, path: string, _data: Buffer, version: 0): Promise<void> {
    return this.#send(lease, () => {
      const written = this.nodes.find(({ name }) => name === nameOf(path));
      if (written && version !== (written.writtenAt === undefined ? 0 : 1))
        throw refusal(ReturnCode.badVersion);
      if (!this.write(nameOf(path))) throw refusal(ReturnCode.noNode);
    });
  }

  delete(lease: SessionLease, path: string): Promise<void> {
    return this.#send(
      lease,
      () => {
        if (this.refusals > 0) {
          this.refusals--;
          throw refusal(ReturnCode.noAuth);
        }
        if (!this.remove(nameOf(path))) throw refusal(ReturnCode.noNode);
      },
      'delete',
    );
  }

  sync(lease: SessionLease): Promise<void> {
    return this.#send(lease, () => this.catchUp());
  }

  watch(path: string, listener: NodeListener): void {
    this.#watches.add(path, listener);
  }

  unwatch(path: string, listener: NodeListener): void {
    this.#watches.remove(path, listener);
  }

  async whenConnected(): Promise<SessionLease> {
    while (!this.isConnected) await new Promise<void>((resolve) => this.#onConnected.push(resolve));
    return this.lease;
  }

  async whenReconnected(lease: SessionLease): Promise<boolean> {
    while (!lease.lossReason && !this.isConnected) {
      await new Promise<void>((resolve) => this.#onConnected.push(resolve));
    }
    return !lease.lossReason;
  }

  distrust(): void {
    throw new Error('a node of ours is of another session');
  }

  giveUp(): void {
    this.endLease();
  }

  // The steps that a test can take follow.

  /** Executes up to this many requests. */
  execute(most: number): void {
    for (const request of this.#sent.splice(0, most)) {
      const { kind, run, resolve, reject, onSent } = request;
      if ((kind === 'list' || kind === 'delete' || onSent) && this.throttled > 0) {
        this.throttled--;
        this.#sent.push(request);
        onSent?.();
        continue;
      }
      if (kind !== 'create') this.#latestRank = undefined;
      // A server answers a write after it has executed all earlier ones.
      if (kind === 'create' || kind === 'delete') this.catchUp();
      const lose = (): void => reject(connectionLost());
      // As in the client, answers of one turn reach their callers up to a few microtasks later.
      const delay = (this.#answers++ * 7) % 5;
      try {
        const answer = run() as never;
        const zxid = this.#zxid;
        const tell = (): void => {
          this.#heardOf = zxid;
          later(delay, () => resolve(answer));
        };
        this.#inbox.push({ tell, lose });
      } catch (error) {
        this.#inbox.push({ tell: () => later(delay, () => reject(error)), lose });
      }
    }
  }

  /** Delivers up to this many messages from the server. */
  hear(most: number): void {
    for (const { tell } of this.#inbox.splice(0, most)) tell();
  }

  /** @param executed the number of requests under way that are still executed */
  disconnect(executed: number): void {
    if (!this.isConnected) return;
    this.execute(executed);
    this.#loseConnection();
    this.#states.tell({ name: 'suspended', sessionId: OUR_SESSION, since: new Date(0) });
  }

  /** Ends the lease on our clock. The server ends the session before the next one begins. */
  endLease(): void {
    this.lease.end('lease-expired');
    this.#loseConnection();
    this.#late = [];
    this.lease = newLease();
    this.#isNew = true;
    this.#states.tell(LOST);
    for (const { isOurs, name } of this.nodes) if (isOurs) this.remove(name);
    for (const tell of this.#onConnected.splice(0)) tell();
  }

  /** @param lags whether the new server lacks the transactions that no answer has told us of */
  reconnect({ lags = false } = {}): void {
    if (this.isConnected) return;
    this.#unknownFrom = lags && !this.#isNew ? Number(this.#heardOf) + 1 : Infinity;
    this.#isNew = false;
    this.#watches.connected();
    this.isConnected = true;
    this.#states.tell(CONNECTED);
    this.#watches.fireGap();
    for (const tell of this.#onConnected.splice(0)) tell();
  }

  executeLate(): void {
    for (const { run } of this.#late.splice(0, 1)) {
      try {
        run();
      } catch {
        // The caller has gone.
      }
    }
  }

  /** Removes the directory if it is empty, as the server does with a container. */
  reap(): void {
    if (this.nodes.length === 0) this.#hasDirectory = false;
  }

  add(
    prefix: string,
    isOurs: boolean,
    { sequence, joins = false, hasHolderData = isOurs }: NewNode = {},
  ): ModelNode {
    if (!this.#hasDirectory) throw refusal(ReturnCode.noNode);
    if (!joins) this.#zxid++;
    else this.shared++;
    this.#latestRank = undefined;
    const number = sequence ?? this.#counter++;
    const name = sequence === undefined ? prefix + digits(number) : prefix;
    if (this.nodes.some((node) => node.name === name)) throw refusal(ReturnCode.nodeExists);
    const node = { name, sequence: number, czxid: this.#zxid, isOurs, hasHolderData };
    this.nodes.push(node);
    return node;
  }

  /** Creates the directory, as other processes do before they enqueue. */
  makeDirectory(): void {
    if (!this.#hasDirectory) this.#counter = 0;
    this.#hasDirectory = true;
  }

  /** Changes the data of a node. */
  write(name: string): boolean {
    const written = this.nodes.find((node) => node.name === name);
    if (!written) return false;
    written.writtenAt = ++this.#zxid;
    this.#latestRank = undefined;
    if (this.#isKnown(written.writtenAt)) this.#tell(written, 'changed');
    return true;
  }

  remove(name: string): boolean {
    const gone = this.nodes.find((node) => node.name === name);
    if (!gone) return false;
    this.#zxid++;
    this.#latestRank = undefined;
    this.nodes = this.nodes.filter((node) => node !== gone);
    this.#deleted.push({ node: gone, zxid: this.#zxid });
    if (this.#isKnown(this.#zxid)) this.#tell(gone, 'deleted');
    return true;
  }

  /** A server that lags behind receives all that was written in the meantime. */
  catchUp(): void {
    for (const node of [...this.nodes, ...this.#shown]) {
      if (node.writtenAt !== undefined && !this.#isKnown(node.writtenAt))
        this.#tell(node, 'changed');
    }
    for (const node of this.#shown) this.#tell(node, 'deleted');
    this.#unknownFrom = Infinity;
    this.#deleted = [];
  }

  /** The nodes that our session's server has. */
  get #known(): readonly ModelNode[] {
    return [...this.nodes, ...this.#shown].filter(({ czxid }) => czxid < this.#unknownFrom);
  }

  get #shown(): readonly ModelNode[] {
    return this.#deleted.filter(({ zxid }) => zxid >= this.#unknownFrom).map(({ node }) => node);
  }

  #isKnown(zxid: bigint): boolean {
    return zxid < this.#unknownFrom;
  }

  #tell({ name }: ModelNode, event: NodeEvent): void {
    const path = join(this.directory, name);
    if (this.#watched.delete(path)) this.#event(path, event);
  }

  #event(path: string, event: NodeEvent): void {
    const tell = (): void => this.#watches.fire(path, event);
    this.#inbox.push({ tell, lose: () => undefined });
  }

  #loseConnection(): void {
    this.isConnected = false;
    this.#watched.clear();
    const [lost, sent] = [this.#inbox.splice(0), this.#sent.splice(0)];
    for (const { lose } of lost) lose();
    for (const request of sent) {
      request.reject(connectionLost());
      if (request.kind === 'delete') this.#late.push(request);
    }
  }

  /** Whether the batcher may put a creation into the transaction of the previous one. */
  #joins(rank: number | undefined): boolean {
    const isNative = this.client !== 'wire';
    if (isNative || rank === undefined || this.#latestRank === undefined) return false;
    return rank > this.#latestRank;
  }

  #send<T>(
    lease: SessionLease,
    run: () => T,
    kind: Request['kind'] = 'other',
    onSent?: () => void,
  ): Promise<T> {
    if (lease.lossReason) return Promise.reject(refusal(ReturnCode.sessionExpired));
    if (!this.isConnected) return Promise.reject(connectionLost());
    return new Promise<T>((resolve, reject) => {
      this.#sent.push({ kind, run, resolve, reject, onSent });
    });
  }
}
