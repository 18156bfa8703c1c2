import { LockDirectoryError } from '../lock-errors.js';
import { type BlockerListener, BlockerWatches } from './blocker-watches.js';
import { Contender, type ContenderCall, type ContenderListener, type Entry } from './contender.js';
import { type Dialect, type QueueNode } from './dialect.js';
import { MAX_GRANTS } from './fencing-token.js';
import { LatestList, type ListListener } from './latest-list.js';
import { createLockNode } from './lock-node.js';
import { OwnNode } from './own-node.js';
import {
  type Created,
  type LeaseListener,
  messageWithoutLink,
  type Removal,
  type Session,
  type SessionLease,
  SessionOverError,
  type Wait,
} from 'zk-client/recipes';

/** Shared, and never changed: 10,000 locks may be held. */
const NONE: QueueNode[] = [];

/**
 * What this session knows of one lock directory, and our contenders in it. It lives as long as one of
 * them has a node there, or is about to.
 *
 * The order is that of the latest list, which is sent right behind each creation, and when a node has
 * gone. Without a list only one thing is known: a granted node of ours counts as gone once its deletion
 * was sent, since all others wait for it, or for our next one, until it is deleted.
 */
export class KeyQueue implements LeaseListener, ContenderListener, BlockerListener, ListListener {
  /** As listed last on this connection, without granted nodes of ours whose deletion was sent. */
  #order = NONE;
  /** The number of the list that the order is made of; 0 before the first one on this connection. */
  #asOf = 0;
  /** How often the order has changed. */
  #changes = 0;
  /** By the name of the node, until its removal is answered. */
  readonly #contenders = new Map<string, Contender>();
  #creating = 0;
  #waiting = 0;
  #lastRank = 0;
  readonly #list: LatestList;
  /** Undefined while none is wanted. */
  #watches: BlockerWatches | undefined;

  /** @param onOver no contender is left */
  constructor(
    private readonly session: Session,
    readonly lease: SessionLease,
    readonly directory: string,
    private readonly dialect: Dialect,
    private readonly onOver: (queue: KeyQueue) => void,
  ) {
    this.#list = new LatestList(session, lease, directory, this);
    lease.listen(this);
  }

  /** Creates a node, and tells `call` when it is up, or will never be. */
  enter(entry: Entry, wait: Wait, call: ContenderCall): void {
    const contender = new Contender(this, entry, wait, call);
    const rank = entry.place.isShared ? undefined : this.#nextRank();
    this.#creating++;
    const onSent = (): void => {
      contender.since = this.#list.next();
      this.#list.listSoon();
    };
    const creation = createLockNode(entry.context, this.lease, entry.place, wait, onSent, rank);
    creation.then(
      (node) => this.#created(contender, node, rank),
      (error: unknown) => {
        this.#creating--;
        this.giveUp(contender, error as Error);
        this.#forgetIfIdle();
      },
    );
    contender.created(creation);
  }

  /** Ends a contender that has not been granted. */
  giveUp(contender: Contender, error: Error): void {
    this.#end(contender)?.reject(error);
  }

  /** The node of a waiting contender is gone, or is not ours. */
  lost(contender: Contender): void {
    this.#end(contender)?.resolve(undefined);
  }

  /** The deletion of a node was sent. */
  removing(name: string, removal: Removal): void {
    this.#contenders.get(name)?.removing(removal, this.#list.next());
    this.#watches?.unwatch(name);
    if (removal === 'granted') this.#handOver(name);
  }

  /** A node of ours is gone by our own hand. */
  removed(name: string, removal: Removal, wasThere: boolean): void {
    const contender = this.#contenders.get(name);
    this.#contenders.delete(name);
    if (removal !== 'granted') this.#listForWaiters(contender?.since);
    else if (wasThere) this.#list.gone(name);
    else this.connected();
    this.#forgetIfIdle();
  }

  /** A node of ours may not be deleted: one that counted as gone is back in its place. */
  refused(name: string): void {
    const contender = this.#contenders.get(name);
    if (contender) contender.removal = 'unused';
    this.connected();
  }

  /** Nothing is known any more of the order. */
  disconnected(): void {
    this.#forget();
    this.#list.forget();
    for (const contender of this.#contenders.values()) contender.blocker = undefined;
  }

  /** The same session has a new connection, or what was known has turned out wrong. */
  connected(): void {
    this.disconnected();
    // Behind the reads of all nodes that are held: their losses are to be told first.
    queueMicrotask(() => this.#listForWaiters());
  }

  onLeaseEnd(): void {
    this.#close();
    for (const contender of this.#contenders.values()) contender.endWithSession();
    this.#contenders.clear();
    this.#waiting = 0;
  }

  onBlockerGone(name: string): void {
    this.#watches?.unwatch(name);
    const contender = this.#contenders.get(name);
    // Its holder hears of the loss before anyone is granted for it.
    if (contender?.isGranted) contender.own?.miss();
    this.#listForWaiters();
  }

  onBlockerRefused(name: string, error: Error): void {
    for (const contender of [...this.#contenders.values()]) {
      if (contender.blocker === name) this.giveUp(contender, error);
    }
  }

  onListed(names: readonly string[], list: number): void {
    let nodes: readonly QueueNode[];
    try {
      nodes = this.dialect.parse(this.directory, names);
    } catch (error) {
      return this.onListRefused(error as Error);
    }
    const isThere = ({ name }: QueueNode): boolean =>
      this.#contenders.get(name)?.removal !== 'granted';
    this.#know(nodes.filter(isThere), list);
    this.#missThoseThatAreGone(new Set(names));
    this.#look();
    if (this.#watches) {
      const blockers = new Set(Array.from(this.#contenders.values(), ({ blocker }) => blocker));
      this.#watches.prune((name) => blockers.has(name));
    }
    this.#forgetIfIdle();
  }

  onListRefused(error: Error): void {
    for (const contender of [...this.#contenders.values()]) {
      if (contender.isWaiting) this.giveUp(contender, errorOfOne(error));
    }
  }

  /** Rises among the creations that are unanswered: of these, a transaction may hold several. */
  #nextRank(): number {
    this.#lastRank = this.#creating === 0 ? 0 : (this.#lastRank + 1) % MAX_GRANTS;
    return this.#lastRank;
  }

  #created(contender: Contender, { path, czxid }: Created, rank: number | undefined): void {
    this.#creating--;
    if (contender.isEnded) return this.#forgetIfIdle();
    const { session, lease } = this;
    // It has ended since the answer came: no event would tell of the node any more.
    if (lease.lossReason) return this.giveUp(contender, new SessionOverError());
    const own = new OwnNode(session, lease, path, czxid, rank);
    contender.queued(own);
    this.#waiting++;
    this.#contenders.set(own.name, contender);
    if (this.#asOf < contender.since) this.#list.listBehind(contender.since);
    else if (this.#order.some(({ name }) => name === own.name)) this.#look();
    else this.lost(contender);
  }

  /** A list shows the order behind what has changed it, where a contender waits for that. */
  #listForWaiters(since = 0): void {
    if (this.#waiting > 0) this.#list.listBehind(since);
  }

  /** Holders and waiters whose nodes a list does not show hear of that before others are granted. */
  #missThoseThatAreGone(shown: ReadonlySet<string>): void {
    for (const [name, contender] of [...this.#contenders]) {
      if (shown.has(name) || contender.since > this.#asOf) continue;
      if (contender.isWaiting) this.lost(contender);
      else if (contender.isGranted) contender.own?.miss();
    }
  }

  #know(order: QueueNode[], asOf: number): void {
    this.#order = order;
    this.#asOf = asOf;
    this.#changes++;
  }

  /** A granted node of ours leaves the order. */
  #handOver(name: string): void {
    const index = this.#order.findIndex((node) => node.name === name);
    const gone = this.#order[index];
    if (!gone) return;
    this.#order.splice(index, 1);
    this.#changes++;
    // A reader keeps only the writer right behind it waiting.
    if (gone.mode === 'write' || this.#order[index]?.mode === 'write') this.#look(index);
  }

  /**
   * Grants those who are up, and has the others wait for the node before them.
   *
   * @param from the place where a node has gone. @default all places are new
   */
  #look(from?: number): void {
    const order = this.#order;
    const changes = this.#changes;
    let before = order[(from ?? 0) - 1];
    let writer = order.slice(0, from ?? 0).findLast(({ mode }) => mode === 'write');
    for (let index = from ?? 0, node = order[index]; node; node = order[++index]) {
      const isChanged = this.#lookAt(node, node.mode === 'write' ? before : writer);
      // A caller that was told of it just now may have released a lock at once.
      if (this.#changes !== changes) return this.#look();
      if (from !== undefined && !isChanged && node.mode === 'write') return;
      before = node;
      if (node.mode === 'write') writer = node;
    }
  }

  /** Whether something has changed for a contender that stands there. */
  #lookAt({ name }: QueueNode, blocker: QueueNode | undefined): boolean {
    const contender = this.#contenders.get(name);
    if (!contender?.isWaiting) return true;
    if (blocker) return this.#waitFor(contender, blocker.name);
    this.#waiting--;
    contender.grant();
    return true;
  }

  #waitFor(contender: Contender, blocker: string): boolean {
    const isNew = contender.waitFor(blocker);
    // A single try has ended.
    if (!contender.isWaiting) return true;
    // Of nodes of ours that wait, or are being deleted, we hear anyway.
    const owner = this.#contenders.get(blocker);
    if (!owner || owner.isGranted) this.#watch(blocker);
    return isNew;
  }

  #watch(name: string): void {
    this.#watches ??= new BlockerWatches(this.session, this.lease, this.directory, this);
    this.#watches.watch(name);
  }

  /** Ends a contender that has not been granted. The call to be told; undefined where it has ended. */
  #end(contender: Contender): ContenderCall | undefined {
    if (contender.isWaiting) this.#waiting--;
    return contender.end(this.lease);
  }

  #forget(): void {
    this.#know(NONE, 0);
    this.#watches?.prune(() => false);
    this.#watches = undefined;
  }

  /** While contenders of ours only hold, the order is of no use, and may be long. */
  #forgetIfIdle(): void {
    if (this.#creating > 0 || this.#waiting > 0) return;
    this.#forget();
    if (this.#contenders.size > 0) return;
    this.#close();
    this.lease.unlisten(this);
  }

  #close(): void {
    this.disconnected();
    this.onOver(this);
  }
}

/** Each call has an error of its own, which tells where that was made. */
function errorOfOne(error: Error): Error {
  if (!(error instanceof LockDirectoryError)) return error;
  return new LockDirectoryError(messageWithoutLink(error));
}
