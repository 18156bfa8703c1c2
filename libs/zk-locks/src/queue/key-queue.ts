import {
  type Created,
  type LeaseListener,
  type Removal,
  type RemovalListener,
  type Session,
  type SessionLease,
  SessionOverError,
} from 'zk-client/recipes';
import type { Dialect, QueueNode } from '../nodes/dialect.js';
import { MAX_GRANTS } from '../nodes/fencing-token.js';
import { forEachInSlices, inSlices } from '../slices.js';
import { type BlockedQueue, BlockerWatch } from './blocker-watch.js';
import { type Call, Contender, failCall } from './contender.js';
import { LatestList, type ListedQueue } from './latest-list.js';
import { createLockNode, type QueueContext } from './lock-node.js';
import { OwnNode, type OwnNodeListener } from './own-node.js';
import { type Place, placesOf } from './places.js';

/** Shared and never modified: 10,000 locks may be held. */
const NONE: QueueNode[] = [];

/**
 * How long a waiting node stays unread at most, in milliseconds: half the time in which its creation
 * is recent, so that no operator can have broken its lock.
 */
const READ_WITHIN_MS = 400;

/**
 * What this session knows about one lock directory, with the session's own contenders there. It
 * exists as long as one of them has a node there, or is about to create one.
 *
 * The order is that of the latest list. A list is requested right after each creation, and whenever
 * a node has gone. Without a list, two nodes count as gone: a granted node of ours once its deletion
 * has been sent, because all other nodes wait for it, or for our next one, until it is deleted; and
 * the first node once its watch reports its deletion, unless another node may take its place.
 */
export class KeyQueue
  implements BlockedQueue, LeaseListener, ListedQueue, OwnNodeListener, RemovalListener
{
  #order = NONE;
  /** The granted nodes whose deletion has been sent and that the latest list still showed. */
  #handedOver: Set<string> | undefined;
  /** By the name of the node, until its removal has been answered. */
  readonly #contenders = new Map<string, Contender>();
  #creating = 0;
  #waiting = 0;
  #lastRank = 0;
  readonly #list = new LatestList(this);
  /** By the name of a node of another process. */
  #watches: Map<string, BlockerWatch> | undefined;
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

  /** Creates a node for a call, with which it then waits. */
  enter(call: Call<unknown>): void {
    const { context, session, lease } = this;
    const { recipe, wait } = call;
    const rank = recipe.isShared ? undefined : this.#nextRank();
    let sentAt = 0;
    let since = 0;
    const onSent = (): void => {
      sentAt = session.news.now;
      since = this.#list.next();
      this.#list.want();
    };
    this.#creating++;
    const creating = createLockNode(context, lease, recipe, wait, onSent, rank);
    const onCreated = ({ path, czxid }: Created): void => {
      // No event would report on the node any more.
      if (lease.lossReason) return fail(new SessionOverError());
      this.#creating--;
      const own = new OwnNode(session, lease, path, { czxid, sentAt, rank }, this);
      const contender = new Contender(call, own, since);
      this.#waiting++;
      this.#contenders.set(own.name, contender);
      this.#list.want(since);
      wait.enter(contender);
    };
    const fail = (error: Error): void => {
      context.remover.adopt(lease, creating);
      this.#creating--;
      this.#forgetIfIdle();
      failCall(call, error);
    };
    wait.until(creating, onCreated, fail);
  }

  /** Rises among the unanswered creations, several of which may share a transaction. */
  #nextRank(): number {
    this.#lastRank = this.#creating === 0 ? 0 : (this.#lastRank + 1) % MAX_GRANTS;
    return this.#lastRank;
  }

  onListed(order: QueueNode[], list: number): void {
    this.#order = this.#withoutHandedOver(order);
    const places = placesOf(this.#contenders, this.#order);
    // What follows may hand over nodes of ours, after which others are watched.
    this.#unwatchAllBut(places);
    for (const { contender } of places) contender.since = list;
    // Holders and waiters whose nodes have gone are notified before others are granted.
    for (const { own, since, state } of this.#contenders.values()) {
      if (since < list && state !== 'ended') own.lose();
    }
    this.#decide(places);
    this.#forgetIfIdle();
  }

  onListRefused(error: Error): void {
    for (const contender of this.#contenders.values()) {
      if (contender.state === 'waiting') contender.fail(error);
    }
  }

  #withoutHandedOver(order: QueueNode[]): QueueNode[] {
    const gone = this.#handedOver;
    if (!gone?.size) return order;
    const shown = order.filter(({ name }) => gone.has(name));
    this.#handedOver = new Set(shown.map(({ name }) => name));
    return order.filter(({ name }) => !gone.has(name));
  }

  /** Grants those whose turn has come. They and those who wait may change the order immediately. */
  #decide(places: readonly Place<Contender>[]): void {
    for (const { contender, blocker, earlier } of places) {
      if (contender.state !== 'waiting') continue;
      if (blocker === undefined) {
        contender.state = 'granted';
        this.#waiting--;
        contender.claim();
      } else if (contender.block()) {
        this.#readTimer ??= setTimeout(() => this.#readWaiters(), READ_WITHIN_MS).unref();
        this.#watch(blocker, earlier);
      }
    }
  }

  #watch(blocker: string, earlier: string | undefined): void {
    // Changes to our own nodes are known without a watch.
    if (this.#contenders.has(blocker)) return;
    if (this.#watchOn(blocker).isSet && earlier !== undefined) this.#watchOn(earlier);
  }

  #watchOn(name: string): BlockerWatch {
    this.#watches ??= new Map();
    const watch = this.#watches.get(name) ?? new BlockerWatch(this, name);
    this.#watches.set(name, watch);
    return watch;
  }

  /** Who waited for another node has given up: its end would ask for a list that no call needs. */
  #unwatchAllBut(places: readonly Place<Contender>[]): void {
    if (!this.#watches) return;
    const watched = new Set(places.flatMap(({ blocker, earlier }) => [blocker, earlier]));
    for (const name of this.#watches.keys()) if (!watched.has(name)) this.#unwatch(name);
  }

  #unwatch(name: string): void {
    this.#watches?.get(name)?.stop();
    this.#watches?.delete(name);
  }

  #readWaiters(): void {
    this.#readTimer = undefined;
    const contenders = [...this.#contenders.values()];
    void inSlices(forEachInSlices(contenders, (contender) => contender.read()));
  }

  onBlockerWatched(name: string): void {
    // By now, the earlier node has often gone, and need not be watched.
    const mayBeNext = this.#placesBehind(name).some(({ earlier }) => earlier !== undefined);
    if (mayBeNext) this.#listForWaiters();
  }

  onBlockerGone(name: string, isPlaceFree: boolean): void {
    this.#unwatch(name);
    const [first] = this.#order;
    if (first?.name === name && isPlaceFree) this.#goOnWithout(first.name);
    else this.#listForWaiters();
  }

  onBlockerRefused(name: string, error: Error): void {
    // Nothing is set: who waits for this node later has to be refused as well.
    this.#unwatch(name);
    for (const { contender } of this.#placesBehind(name)) contender.fail(error);
  }

  #placesBehind(name: string): Place<Contender>[] {
    return placesOf(this.#contenders, this.#order).filter(({ blocker }) => blocker === name);
  }

  onOwnNodeGone(name: string): void {
    const contender = this.#contenders.get(name);
    if (contender?.state === 'granted') this.#listForWaiters();
    else contender?.fail();
  }

  onRemoving(name: string, removal: Removal): void {
    const contender = this.#contenders.get(name);
    if (contender?.state === 'waiting') this.#waiting--;
    if (contender) contender.state = 'ended';
    this.#unwatch(name);
    if (removal !== 'granted') return;
    (this.#handedOver ??= new Set()).add(name);
    this.#goOnWithout(name);
  }

  onRemoved(name: string, removal: Removal): void {
    this.#contenders.delete(name);
    if (removal !== 'granted') this.#listForWaiters();
    this.#forgetIfIdle();
  }

  onRemovalRefused(name: string): void {
    // If it counted as gone, it returns to its place.
    this.#handedOver?.delete(name);
    this.startOver();
  }

  /** Removes a node from the order, which counts as gone without a list. */
  #goOnWithout(name: string): void {
    const index = this.#order.findIndex((node) => node.name === name);
    const gone = this.#order[index];
    if (!gone) return;
    // It is nearly always the first, and `splice` would move thousands of nodes behind it.
    if (index === 0) this.#order.shift();
    else this.#order.splice(index, 1);
    // A reader's node keeps only the writer right behind it waiting.
    const isAwaited = gone.mode === 'write' || this.#order[index]?.mode === 'write';
    if (isAwaited) this.#decide(placesOf(this.#contenders, this.#order, index));
  }

  #listForWaiters(): void {
    if (this.#waiting > 0) this.#list.want();
  }

  /** What was known came from an earlier connection, or has turned out to be wrong. */
  startOver(): void {
    this.#forget();
    // In the next tick, after the reads of held nodes: their losses have to be reported first.
    this.#listForWaiters();
  }

  /** Forgets the order, because it can no longer be relied on. */
  #forget(): void {
    this.#order = NONE;
    this.#list.forget();
    for (const name of this.#watches?.keys() ?? []) this.#unwatch(name);
    this.#watches = undefined;
    clearTimeout(this.#readTimer);
    this.#readTimer = undefined;
  }

  /** While our contenders only hold, the order is not needed, and may be long. */
  #forgetIfIdle(): void {
    if (this.#creating > 0 || this.#waiting > 0) return;
    this.#forget();
    if (this.#contenders.size > 0) return;
    this.lease.unlisten(this);
    this.onOver(this);
  }

  onLeaseEnd(): void {
    this.#forget();
    this.onOver(this);
    for (const contender of this.#contenders.values()) contender.fail(new SessionOverError());
    this.#contenders.clear();
  }
}
