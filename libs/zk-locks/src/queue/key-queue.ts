import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type LeaseListener,
  messageWithoutLink,
  type Removal,
  type Session,
  type SessionLease,
  SessionOverError,
} from 'zk-client/recipes';
import { LockDirectoryError } from '../lock/lock-errors.js';
import { type BlockerListener, BlockerWatches } from './blocker-watches.js';
import type { Call, Contender, ContenderQueue } from './contender.js';
import { type Dialect, type QueueNode, sequenceOf } from '../nodes/dialect.js';
import { MAX_GRANTS } from '../nodes/fencing-token.js';
import { LatestList, type ListedQueue } from './latest-list.js';
import { createLockNode, type QueueContext } from './lock-node.js';
import { type CreatedNode, OwnNode, type OwnNodeListener } from './own-node.js';

/** Shared and never modified: 10,000 locks may be held. */
const NONE: QueueNode[] = [];

/**
 * How long a waiting node stays unread at most, in milliseconds: half the time in which its creation
 * is recent, so that no operator can have broken its lock.
 */
const READ_WITHIN_MS = 400;
const READS_A_TURN = 100;

/**
 * What this session knows about one lock directory, with the session's own contenders there. It
 * exists as long as one of them has a node there, or is about to create one.
 *
 * The order is that of the latest list. A list is requested right after each creation, and whenever
 * a node has gone. Without a list, only one fact is known: a granted node of ours counts as gone
 * once its deletion has been sent, because all other nodes wait for it, or for our next one, until
 * it is deleted.
 */
export class KeyQueue
  implements ContenderQueue, LeaseListener, BlockerListener, ListedQueue, OwnNodeListener
{
  #order = NONE;
  /**
   * The number of the list that the order is based on; 0 before the first one on this connection.
   */
  #asOf = 0;
  /** The granted nodes whose deletion has been sent and that the latest list still showed. */
  #handedOver: Set<string> | undefined;
  /** By the name of the node, until its removal has been answered. */
  readonly #contenders = new Map<string, Contender>();
  #creating = 0;
  #waiting = 0;
  #lastRank = 0;
  readonly #list = new LatestList(this);
  #watches: BlockerWatches | undefined;
  /** One for all: Node runs each timer by itself, and its requests would leave by themselves. */
  #readTimer: NodeJS.Timeout | undefined;

  /** @param onOver called when no contender is left */
  constructor(
    private readonly context: QueueContext,
    readonly lease: SessionLease,
    readonly directory: string,
    readonly dialect: Dialect,
    private readonly onOver: (queue: KeyQueue) => void,
  ) {
    lease.listen(this);
  }

  get session(): Session {
    return this.context.session;
  }

  enter(contender: Contender, { recipe, wait }: Call<unknown>): void {
    const rank = recipe.isShared ? undefined : this.#nextRank();
    this.#creating++;
    let sentAt = 0;
    const onSent = (): void => {
      sentAt = this.session.news.now;
      contender.since = this.#list.next();
      this.#list.want();
    };
    contender.creation = createLockNode(this.context, this.lease, recipe, wait, onSent, rank);
    contender.creation.then(
      ({ path, czxid }) => this.#created(contender, path, { czxid, sentAt, rank }),
      (error: unknown) => {
        this.#creating--;
        contender.fail(error as Error);
        this.#forgetIfIdle();
      },
    );
    // If the wait is already over, the contender ends immediately.
    wait.enter(contender);
  }

  end(contender: Contender): Call<unknown> | undefined {
    const call = contender.leave();
    if (!call) return undefined;
    const { own, creation, state } = contender;
    const { remover } = this.context;
    if (state === 'waiting') this.#waiting--;
    contender.state = 'ended';
    if (own) {
      own.abandon();
      void remover.remove(this.lease, own.path);
    } else if (creation) {
      remover.adopt(this.lease, creation);
    }
    return call;
  }

  /** Called when the deletion of a node has been sent. */
  removing(name: string, removal: Removal): void {
    const contender = this.#contenders.get(name);
    if (contender) contender.state = 'ended';
    this.#watches?.unwatch(name);
    if (removal === 'granted') this.#handOver(name);
  }

  /** Called when a node of ours has been deleted by us. */
  removed(name: string, removal: Removal, wasThere: boolean): void {
    this.#contenders.delete(name);
    if (removal !== 'granted') this.#listForWaiters();
    else if (!wasThere) this.startOver();
    this.#forgetIfIdle();
  }

  /**
   * Called when the deletion of a node of ours was refused: if it counted as gone, it returns to
   * its place.
   */
  refused(name: string): void {
    this.#handedOver?.delete(name);
    this.startOver();
  }

  /** Forgets the order, because it can no longer be relied on. */
  forget(): void {
    this.#order = NONE;
    this.#asOf = 0;
    this.#list.forget();
    this.#watches?.prune(() => false);
    this.#watches = undefined;
    clearTimeout(this.#readTimer);
    this.#readTimer = undefined;
    if (this.#waiting === 0) return;
    for (const contender of this.#contenders.values()) contender.blocker = undefined;
  }

  /** What was known came from an earlier connection, or has turned out to be wrong. */
  startOver(): void {
    this.forget();
    // In the next tick, after the reads of held nodes: their losses have to be reported first.
    this.#listForWaiters();
  }

  onLeaseEnd(): void {
    this.forget();
    this.onOver(this);
    for (const contender of this.#contenders.values()) contender.fail(new SessionOverError());
    this.#contenders.clear();
  }

  onOwnNodeGone(name: string): void {
    const contender = this.#contenders.get(name);
    if (contender?.state === 'waiting') contender.lose();
    else if (contender?.state === 'granted') this.#listForWaiters();
  }

  onBlockerGone(name: string, isPlaceFree: boolean): void {
    const [first, next] = this.#order;
    const isOurTurn = first?.name === name && next && this.#contenders.has(next.name);
    if (!isPlaceFree || !isOurTurn) return this.#listForWaiters();
    this.#order.shift();
    this.#look(0);
  }

  onBlockerRefused(name: string, error: Error): void {
    for (const contender of this.#contenders.values()) {
      if (contender.blocker === name) contender.fail(error);
    }
  }

  onListed(order: QueueNode[], list: number): void {
    this.#order = this.#withoutHandedOver(order);
    this.#asOf = list;
    const changed = this.#decideAll();
    // Holders and waiters whose nodes have gone are notified before others are granted.
    for (const { own, since, state } of this.#contenders.values()) {
      if (since < list && state !== 'ended') own?.lose();
    }
    this.#notify(changed);
    if (this.#watches) {
      const watched = new Set<string | undefined>();
      for (const { blocker, earlier } of this.#contenders.values())
        watched.add(blocker).add(earlier);
      this.#watches.prune((name) => watched.has(name));
    }
    this.#forgetIfIdle();
  }

  onListRefused(error: Error): void {
    for (const contender of this.#contenders.values()) {
      if (contender.state === 'waiting') contender.fail(errorOfOne(error));
    }
  }

  /** Rises among the unanswered creations, several of which may share a transaction. */
  #nextRank(): number {
    this.#lastRank = this.#creating === 0 ? 0 : (this.#lastRank + 1) % MAX_GRANTS;
    return this.#lastRank;
  }

  #created(contender: Contender, path: string, node: CreatedNode): void {
    this.#creating--;
    if (contender.state === 'ended') return this.#forgetIfIdle();
    const { lease } = this;
    // The wait ended after the answer had arrived: no event would report on the node any more.
    if (lease.lossReason) return contender.fail(new SessionOverError());
    const own = new OwnNode(this.session, lease, path, node, this);
    contender.own = own;
    contender.creation = undefined;
    contender.state = 'waiting';
    this.#waiting++;
    const { name } = own;
    this.#contenders.set(name, contender);
    if (this.#asOf < contender.since) this.#list.want(contender.since);
    else if (this.#order.some((node) => node.name === name)) this.#look();
    else contender.lose();
  }

  /** Reads the nodes of all waiters, those of a long line in several turns of the event loop. */
  async #readWaiters(): Promise<void> {
    this.#readTimer = undefined;
    for (const [index, contender] of [...this.#contenders.values()].entries()) {
      if (index % READS_A_TURN === READS_A_TURN - 1) await nextTurn();
      contender.read();
    }
  }

  #listForWaiters(): void {
    if (this.#waiting > 0) this.#list.want();
  }

  #withoutHandedOver(order: QueueNode[]): QueueNode[] {
    const gone = this.#handedOver;
    if (!gone?.size) return order;
    const shown = order.filter(({ name }) => gone.has(name));
    this.#handedOver = new Set(shown.map(({ name }) => name));
    return order.filter(({ name }) => !gone.has(name));
  }

  /** Removes a granted node of ours from the order. */
  #handOver(name: string): void {
    (this.#handedOver ??= new Set()).add(name);
    const index = this.#order.findIndex((node) => node.name === name);
    const gone = this.#order[index];
    if (!gone) return;
    this.#order.splice(index, 1);
    // A reader's node keeps only the writer right behind it waiting.
    if (gone.mode === 'write' || this.#order[index]?.mode === 'write') this.#look(index);
  }

  #look(gone?: number): void {
    this.#notify(this.#decideAll(gone));
  }

  /**
   * Decides whose turn it is, and who waits for whom. Returns those for whom that has changed.
   *
   * @param gone the place of the one node that has gone: only nodes up to the next writer waited
   * for it
   */
  #decideAll(gone?: number): Contender[] {
    const order = this.#order;
    const changed: Contender[] = [];
    const numbers = gone === undefined ? numbersOf(this.#contenders.keys()) : undefined;
    const start = gone ?? 0;
    let writer = order.slice(0, start).findLastIndex(({ mode }) => mode === 'write');
    for (let index = start, node = order[index]; node; node = order[++index]) {
      const isWriter = node.mode === 'write';
      const isForeign = numbers?.has(node.sequence) === false;
      const contender = isForeign ? undefined : this.#contenders.get(node.name);
      const blocker = isWriter ? index - 1 : writer;
      // Only the node right behind it can know without a list that its turn has come.
      const earlier = blocker === index - 1 ? blocker - 1 : -1;
      if (contender && this.#decide(contender, order[blocker]?.name, order[earlier]?.name)) {
        changed.push(contender);
      }
      if (isWriter && gone !== undefined) break;
      if (isWriter) writer = index;
    }
    return changed;
  }

  /** Notifies contenders, which may change the order immediately. */
  #notify(changed: readonly Contender[]): void {
    for (const contender of changed) {
      if (contender.state === 'granted') void contender.claim();
      else this.#block(contender);
    }
  }

  /** Whether anything has changed for this contender, which the latest list shows. */
  #decide(contender: Contender, blocker?: string, earlier?: string): boolean {
    contender.since = this.#asOf;
    if (contender.state !== 'waiting') return false;
    const isSame = blocker === contender.blocker && earlier === contender.earlier;
    // Also the same names, or each waiter would retain names of the list that first showed it.
    contender.blocker = blocker;
    contender.earlier = earlier;
    if (blocker !== undefined) return !isSame;
    contender.state = 'granted';
    this.#waiting--;
    return true;
  }

  #block(contender: Contender): void {
    const { state, blocker, earlier } = contender;
    if (state !== 'waiting' || !contender.block()) return;
    this.#readTimer ??= setTimeout(() => void this.#readWaiters(), READ_WITHIN_MS).unref();
    for (const name of [blocker, earlier]) {
      // Changes to our own nodes are known without a watch.
      if (name === undefined || this.#contenders.has(name)) return;
      this.#watch(name);
    }
  }

  #watch(name: string): void {
    const { session, lease, directory } = this;
    this.#watches ??= new BlockerWatches(session, lease, directory, this);
    this.#watches.watch(name);
  }

  /** While our contenders only hold, the order is not needed, and may be long. */
  #forgetIfIdle(): void {
    if (this.#creating > 0 || this.#waiting > 0) return;
    this.forget();
    if (this.#contenders.size > 0) return;
    this.lease.unlisten(this);
    this.onOver(this);
  }
}

/** A number is looked up much faster than a name that has just been read. */
function numbersOf(names: Iterable<string>): ReadonlySet<number> {
  return new Set(Array.from(names, sequenceOf));
}

/** Creates a separate error for each call, so that its stack shows where that call was made. */
function errorOfOne(error: Error): Error {
  if (!(error instanceof LockDirectoryError)) return error;
  return new LockDirectoryError(messageWithoutLink(error));
}
