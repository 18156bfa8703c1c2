import type { Created } from '../client/zookeeper-client.js';
import type { LeaseListener } from '../session/lease-validity.js';
import type { SessionLease } from '../session/session-lease.js';
import { LockDirectoryError } from '../lock-errors.js';
import { messageWithoutLink } from '../zk-lock-error.js';
import { type BlockerListener, BlockerWatches } from './blocker-watches.js';
import { Contender, type ContenderCall, type ContenderListener } from './contender.js';
import { type Entry, hasNoTwin, isPinned, waitersOf, waitFor } from './contender.js';
import type { Dialect, QueueNode } from './dialect.js';
import { KnownQueue, type Place, QueueLists } from './known-queue.js';
import type { ListListener, QueueList } from './known-queue.js';
import { createLockNode } from './lock-node.js';
import type { Removal } from './node-remover.js';
import { OwnNode } from './own-node.js';
import { SessionOverError } from '../session/session-requests.js';
import type { Session } from '../session/session.js';
import type { Wait } from './wait.js';

/**
 * What this session knows of one lock directory, and our contenders in it.
 *
 *     creating ──► queued ──► granted        any ──► ended
 *
 * Inputs: a node of ours was created, confirmed, lost, or its removal was sent, answered or refused;
 * the directory was listed; a node that we wait for is gone; the connection was lost, or is back.
 * Each input changes what is known. Then holders hear of their losses, those who are up are granted,
 * and the others wait for the node before them, or for a list where only a list can tell.
 *
 * A node of a grant of ours counts as gone when its deletion was sent. Everyone else still waits for
 * that node or for our next one, and both belong to this session. Every other node of ours counts as
 * gone when its deletion was answered: other sessions may decide by its presence.
 */
export class KeyQueue implements LeaseListener, ContenderListener, BlockerListener, ListListener {
  /** Undefined until the directory was listed on this connection. */
  #known: KnownQueue<Contender> | undefined;
  /** By the name of the node, until its removal is answered. */
  readonly #contenders = new Map<string, Contender>();
  #creating = 0;
  /** Whether the latest node of ours came right behind the last one that was known. */
  #isNextToLast = false;
  #watches: BlockerWatches | undefined;
  readonly #lists: QueueLists;

  /** @param onOver its session is over */
  constructor(
    private readonly session: Session,
    readonly lease: SessionLease,
    readonly directory: string,
    private readonly dialect: Dialect,
    private readonly onOver: (queue: KeyQueue) => void,
  ) {
    this.#lists = new QueueLists(session, lease, directory, this);
    lease.listen(this);
  }

  /** Whether no node of ours is there, nor asked for. */
  get isIdle(): boolean {
    return this.#creating === 0 && this.#contenders.size === 0;
  }

  /** No contender asks it any more. */
  stop(): void {
    this.#forget();
    this.lease.unlisten(this);
  }

  /** Creates a node, and tells `call` when it is up, or will never be. */
  enter(entry: Entry, wait: Wait, call: ContenderCall): void {
    const contender = new Contender(this, entry, wait, call);
    this.#creating++;
    const onSent = (): void => {
      contender.since = this.#lists.next();
      if (!this.#expectsNext) this.#list();
    };
    const creation = createLockNode(entry.context, this.lease, entry.place, wait, onSent);
    contender.creation = creation;
    creation.then(
      (node) => this.#created(contender, node),
      (error: unknown) => {
        this.#creating--;
        contender.creation = undefined;
        this.giveUp(contender, error as Error);
      },
    );
    wait.enter(contender);
  }

  /** Ends a contender that has not been granted. */
  giveUp(contender: Contender, error: Error): void {
    if (contender.end(this.lease)) contender.call.reject(error);
  }

  /** The node of a waiting contender is gone, or cannot be read. */
  lost(contender: Contender): void {
    if (contender.end(this.lease)) contender.call.resolve(undefined);
  }

  /** Grants a contender that is up; else has it wait for what keeps it waiting. */
  look(contender: Contender): void {
    if (contender.state !== 'queued') return;
    const { place } = contender;
    if (!this.#known || !place) return this.#locate(contender);
    if (this.#known.isUp(place)) {
      if (!contender.isRead || contender.own?.isConfirmed) this.#grant(contender, place);
      return;
    }
    const blocker = this.#known.blockerOf(place);
    if (blocker) this.#waitFor(contender, blocker);
    else this.#list({ isUrgent: true });
  }

  /** The deletion of a node was sent. */
  removing(name: string, removal: Removal): void {
    const contender = this.#contenders.get(name);
    if (contender) {
      contender.state = 'ended';
      contender.removal = removal;
      if (contender.place) this.#known?.removing(contender.sequence, contender.own?.czxid);
    }
    if (removal !== 'granted' || !this.#isConnected) return;
    this.#gone(name, true);
  }

  /** A node of ours is gone by our own hand. */
  removed(name: string, removal: Removal, wasThere: boolean): void {
    this.#contenders.delete(name);
    if (removal === 'granted' && !wasThere) this.#startOver();
    this.#gone(name, removal !== 'replaced');
    if (this.isIdle) this.#rest();
  }

  /** A node of ours may not be deleted: one that counted as gone is back in its place. */
  refused(name: string): void {
    const contender = this.#contenders.get(name);
    if (contender) contender.removal = 'unused';
    this.#startOver();
  }

  disconnected(): void {
    this.#forget();
    this.#lists.forget();
  }

  /** The same session has a new connection. */
  connected(): void {
    this.#forget();
    // Behind the reads of all nodes that are held: their losses are to be told first.
    if (!this.isIdle) queueMicrotask(() => this.#lookAtAll());
  }

  onLeaseEnd(): void {
    this.#forget();
    for (const contender of this.#contenders.values()) contender.endWithSession();
    this.#contenders.clear();
    this.onOver(this);
  }

  onBlockerGone(name: string): void {
    this.#gone(name, hasNoTwin(this.#known?.find(name)?.owner));
  }

  onBlockerRefused(name: string, error: Error): void {
    for (const waiter of waitersOf(this.#known?.find(name))) this.giveUp(waiter, error);
  }

  /** Whether the next node that is created is likely to be located by its number alone. */
  get #expectsNext(): boolean {
    const known = this.#known;
    if (known?.last?.state === 'queued') return true;
    if (known?.isEmpty) return known.isSteady;
    return this.#isNextToLast && isPinned(this.#contenders);
  }

  get #isConnected(): boolean {
    return this.session.connectedLease === this.lease;
  }

  #created(contender: Contender, { path, czxid }: Created): void {
    this.#creating--;
    contender.creation = undefined;
    if (contender.state === 'ended') return;
    const { session, lease } = this;
    // It has ended since the answer came: no event would tell of the node any more.
    if (lease.lossReason) return this.giveUp(contender, new SessionOverError());
    const own = new OwnNode(session, lease, path, czxid);
    const sequence = contender.queued(own);
    this.#contenders.set(own.name, contender);
    const last = this.#known?.lastSequence ?? NaN;
    this.#isNextToLast = sequence === last + 1;
    if (sequence <= last && !this.#known?.find(own.name)) {
      // The directory was removed and made again.
      this.#forget();
      this.#list();
    }
    this.#locate(contender);
  }

  /** Finds the place of a node without a list where its number tells, else by a list. */
  #locate(contender: Contender): void {
    const { own, sequence, entry } = contender;
    const known = this.#known;
    if (!own) return;
    if (!known) return this.#list();
    const listed = known.find(own.name);
    const isNext = sequence === known.lastSequence + 1;
    if (listed) {
      known.stand(contender, listed);
      this.look(contender);
    } else if (isNext && (isPinned(this.#contenders) || known.wasLeftBefore(sequence, own.czxid))) {
      // No other node can have come between the last known one and this one.
      known.stand(contender, known.append({ name: own.name, mode: entry.mode, sequence }));
      if (known.isWorn) this.#list();
      this.look(contender);
    } else if (isNext && known.isEmpty && own.czxid === undefined && !this.#lists.isUnderway) {
      contender.read();
    } else {
      this.#waitForPlace(contender);
    }
  }

  /** A contender behind another one of ours that waits needs no place before that one has its turn. */
  #waitForPlace(contender: Contender): void {
    const last = this.#known?.last;
    if (last?.state !== 'queued' || !last.place || last.sequence > contender.sequence) this.#list();
    else this.#waitFor(contender, last.place);
  }

  #grant(contender: Contender, place: Place<Contender>): void {
    contender.state = 'granted';
    // Else each would keep the one before it for as long as the key is in use.
    contender.blocker = undefined;
    contender.wait.leave(contender);
    const waiters = waitersOf(place);
    if (waiters.length > 0) this.#watch(place);
    if (waiters.some((waiter) => !waiter.place)) this.#list();
    contender.call.resolve(contender);
  }

  #waitFor(contender: Contender, blocker: Place<Contender>): void {
    if (contender.blocker === blocker) return;
    waitFor(blocker, contender);
    // Without a place of its own, a reader behind a reader may be up.
    const isBlocked = contender.place ?? [contender.entry.mode, blocker.mode].includes('write');
    if (isBlocked) contender.wait.blocked();
    if (contender.state !== 'queued') return;
    if (!contender.isRead) contender.read();
    this.#watch(blocker);
  }

  /** Hears of the deletion of a node. A waiting contender of ours hears of its own node itself. */
  #watch({ name, owner }: Place<Contender>): void {
    if (owner?.state === 'queued') return;
    const { session, lease, directory } = this;
    this.#watches ??= new BlockerWatches(session, lease, directory, this);
    this.#watches.watch(name);
  }

  #gone(name: string, isForGood: boolean): void {
    this.#lists.gone(name, isForGood);
    const place = this.#known?.find(name);
    if (!place) return;
    // Its holder hears of the loss before anyone is granted for it.
    if (place.owner?.state === 'granted') place.owner.own?.miss();
    this.#known?.remove(place, { isForGood });
    this.#watches?.unwatch(name);
    for (const waiter of waitersOf(place)) {
      // Others that were ahead of a foreign node may be gone as well, which nothing has told.
      const isUp = waiter.place && this.#known?.isUp(waiter.place);
      if (!place.owner && isUp !== true) this.#list({ isUrgent: true });
      else this.look(waiter);
    }
  }

  #list(options?: { isUrgent: boolean }): void {
    if (this.#isConnected) this.#lists.list(options);
  }

  onListed(names: readonly string[], list: QueueList): void {
    try {
      this.#know(this.dialect.parse(this.directory, names), list);
    } catch (error) {
      this.#forget();
      return this.onListRefused(error as Error);
    }
    this.#lookAtAll();
    this.#watches?.prune((name) => waitersOf(this.#known?.find(name)).length > 0);
  }

  /** Takes a list for what is known; holders and waiters whose nodes are missing hear of it first. */
  #know(nodes: readonly QueueNode[], { sent, gone }: QueueList): void {
    const known = new KnownQueue<Contender>(nodes, this.dialect.hasReaders);
    if (this.#known) known.follow(this.#known);
    this.#known = known;
    for (const contender of [...this.#contenders.values()]) {
      contender.unplace();
      const place = known.find(contender.own?.name ?? '');
      if (place) {
        known.stand(contender, place);
        if (contender.removal === 'granted') known.remove(place, { isForGood: true });
      } else if (contender.since > sent) continue;
      else if (contender.state === 'queued') this.lost(contender);
      else if (contender.state === 'granted') contender.own?.miss();
    }
    for (const [name, isForGood] of gone) {
      const place = known.find(name);
      if (place) known.remove(place, { isForGood });
    }
  }

  #lookAtAll(): void {
    for (const contender of [...this.#contenders.values()]) this.look(contender);
  }

  onListRefused(error: Error): void {
    for (const contender of [...this.#contenders.values()]) {
      if (contender.state === 'queued') this.giveUp(contender, errorOfOne(error));
    }
  }

  /** What was known has turned out wrong. */
  #startOver(): void {
    this.disconnected();
    this.#lookAtAll();
  }

  /** Nothing is known any more of the order. */
  #forget(): void {
    this.#known = undefined;
    this.#watches?.prune(() => false);
    for (const contender of this.#contenders.values()) contender.unplace();
  }

  /** Keeps what it knows only where that is of use: of other nodes, nothing tells any more. */
  #rest(): void {
    if (this.#known?.isEmpty) this.#known.last = undefined;
    else this.#forget();
  }
}

/** Each call has an error of its own, which tells where that was made. */
function errorOfOne(error: Error): Error {
  if (!(error instanceof LockDirectoryError)) return error;
  return new LockDirectoryError(messageWithoutLink(error));
}
