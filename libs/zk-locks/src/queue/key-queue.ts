import type { Created } from '../client/zookeeper-client.js';
import type { LeaseListener, SessionLease } from '../session/session-lease.js';
import { LockDirectoryError } from '../lock-errors.js';
import { messageWithoutLink } from '../zk-lock-error.js';
import { type BlockerListener, BlockerWatches } from './blocker-watches.js';
import {
  Contender,
  type ContenderCall,
  type ContenderListener,
  type Entry,
  hasNoTwin,
  waitersOf,
  waitFor,
} from './contender.js';
import { type Dialect, type QueueNode, sequenceOf } from './dialect.js';
import { KnownQueue, type Place } from './known-queue.js';
import { createLockNode } from './lock-node.js';
import type { Removal } from './node-remover.js';
import { OwnNode } from './own-node.js';
import { SessionOverError } from '../session/session-requests.js';
import {
  type ListedDirectory,
  type ListListener,
  type QueueList,
  QueueLists,
} from './queue-lists.js';
import type { Wait } from './wait.js';

export interface KeyQueueContext extends ListedDirectory {
  readonly dialect: Dialect;
  /** Its session is over. */
  readonly onOver: (queue: KeyQueue) => void;
}

/** So many nodes of ours are asked whether they exist, where ten thousand may wait. */
const MOST_PINS = 100;

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

  constructor(private readonly context: KeyQueueContext) {
    this.#lists = new QueueLists(context, this);
    context.lease.listen(this);
  }

  get lease(): SessionLease {
    return this.context.lease;
  }

  get directory(): string {
    return this.context.directory;
  }

  /** Whether no node of ours is there, nor asked for. */
  get isIdle(): boolean {
    return this.#creating === 0 && this.#contenders.size === 0;
  }

  /** Nobody asks it any more. */
  stop(): void {
    this.#forget();
    this.lease.unlisten(this);
  }

  /** Creates a node, and tells `call` when it is up, or will never be. */
  enter(entry: Entry, wait: Wait, call: ContenderCall): void {
    const { context, place } = entry;
    const contender = new Contender(this, entry, wait, call);
    this.#creating++;
    const onSent = (): void => {
      contender.since = this.#lists.next();
      if (!this.#expectsNext) this.#list();
    };
    const creation = createLockNode(context, this.lease, place, wait, onSent);
    contender.creation = creation;
    creation.then(
      (node) => this.#created(contender, node),
      (error: unknown) => this.#notCreated(contender, error as Error),
    );
    wait.enter(contender);
  }

  /** Ends a contender that has not been granted. */
  giveUp(contender: Contender, error: Error): void {
    if (this.#end(contender)) contender.call.reject(error);
  }

  /** The node of a waiting contender is gone, or cannot be read. */
  lost(contender: Contender): void {
    if (this.#end(contender)) contender.call.resolve(undefined);
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
    this.#gone(this.#known?.find(name), { isForGood: true });
  }

  /** A node of ours is gone by our own hand. */
  removed(name: string, removal: Removal, wasThere: boolean): void {
    this.#contenders.delete(name);
    if (removal === 'granted' && !wasThere) this.#startOver();
    const isForGood = removal !== 'replaced';
    this.#lists.gone(name, isForGood);
    this.#gone(this.#known?.find(name), { isForGood });
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
    for (const contender of this.#contenders.values()) {
      if (contender.state !== 'queued') continue;
      contender.state = 'ended';
      contender.own?.abandon();
      contender.wait.leave(contender);
      contender.call.reject(new SessionOverError());
    }
    this.#contenders.clear();
    this.context.onOver(this);
  }

  onBlockerGone(name: string): void {
    const place = this.#known?.find(name);
    this.#gone(place, { isForGood: hasNoTwin(place?.owner) });
  }

  onBlockerRefused(name: string, error: Error): void {
    for (const waiter of waitersOf(this.#known?.find(name))) this.giveUp(waiter, error);
  }

  /** Whether the next node that is created is likely to be located by its number alone. */
  get #expectsNext(): boolean {
    const known = this.#known;
    if (known?.last?.state === 'queued') return true;
    return known?.isEmpty ? known.isSteady : this.#isNextToLast && this.#isPinned();
  }

  get #isConnected(): boolean {
    return this.context.session.connectedLease === this.lease;
  }

  /**
   * Whether a known node of ours is certain to exist, so that the directory is the one that was listed.
   * The oldest nodes are asked: the watches on these are set.
   */
  #isPinned(): boolean {
    let asked = 0;
    for (const { state, place, own } of this.#contenders.values()) {
      // Of a node that is being removed, no watch tells any more.
      if (state !== 'ended' && place && own?.isConfirmed) return true;
      if (++asked === MOST_PINS) return false;
    }
    return false;
  }

  #created(contender: Contender, { path, czxid }: Created): void {
    this.#creating--;
    contender.creation = undefined;
    if (contender.state === 'ended') return;
    const { session, lease } = this.context;
    // It has ended since the answer came: nobody would tell of the node any more.
    if (lease.lossReason) return this.giveUp(contender, new SessionOverError());
    const own = new OwnNode(session, lease, path, czxid);
    const sequence = sequenceOf(path);
    contender.state = 'queued';
    contender.own = own;
    contender.sequence = sequence;
    this.#contenders.set(own.name, contender);
    this.#isNextToLast = sequence === (this.#known?.lastSequence ?? NaN) + 1;
    const isMadeAgain = this.#known && sequence <= this.#known.lastSequence;
    if (isMadeAgain && !this.#known?.find(own.name)) {
      // The directory was removed and made again.
      this.#forget();
      this.#list();
    }
    this.#locate(contender);
  }

  #notCreated(contender: Contender, error: Error): void {
    this.#creating--;
    contender.creation = undefined;
    this.giveUp(contender, error);
  }

  /** Finds the place of a node without a list where its number tells, else by a list. */
  #locate(contender: Contender): void {
    const { own, sequence } = contender;
    const known = this.#known;
    if (!own) return;
    const listed = known?.find(own.name);
    if (!known) {
      this.#list();
    } else if (listed) {
      this.#stand(known, contender, listed);
      this.look(contender);
    } else if (sequence !== known.lastSequence + 1) {
      this.#waitForPlace(contender);
    } else if (this.#isPinned() || known.wasLeftBefore(sequence, own.czxid)) {
      // No other node can have come between the last known one and this one.
      this.#standAtEnd(known, contender);
    } else if (known.isEmpty && own.czxid === undefined && !this.#lists.isUnderway) {
      this.#read(contender);
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

  #standAtEnd(known: KnownQueue<Contender>, contender: Contender): void {
    const { own, sequence } = contender;
    const { mode } = contender.entry;
    const name = own?.name ?? '';
    const place = known.append({ name, mode, sequence });
    this.#stand(known, contender, place);
    if (known.isWorn) this.#list();
    this.look(contender);
  }

  #stand(known: KnownQueue<Contender>, contender: Contender, place: Place<Contender>): void {
    place.owner = contender;
    contender.place = place;
    known.last = contender;
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
    if (!contender.isRead) this.#read(contender);
    this.#watch(blocker);
  }

  /** Reads a node of ours and sets the watch on it, so that it can be granted without a request. */
  #read(contender: Contender): void {
    const { own } = contender;
    contender.isRead = true;
    own?.keepFor(contender);
    own?.confirm().then(
      (czxid) => {
        if (czxid === undefined) this.lost(contender);
        else this.look(contender);
      },
      (error: unknown) => this.giveUp(contender, error as Error),
    );
  }

  /** Hears of the deletion of a node. A waiting contender of ours hears of its own node itself. */
  #watch({ name, owner }: Place<Contender>): void {
    if (owner?.state === 'queued') return;
    this.#watches ??= new BlockerWatches(this.context, this);
    this.#watches.watch(name);
  }

  #gone(place: Place<Contender> | undefined, options: { isForGood: boolean }): void {
    if (!place || place.isGone) return;
    this.#lists.gone(place.name, options.isForGood);
    // Its holder hears of the loss before anyone is granted for it.
    if (place.owner?.state === 'granted') place.owner.own?.miss();
    this.#known?.remove(place, options);
    this.#watches?.unwatch(place.name);
    for (const waiter of waitersOf(place)) {
      // Others that were ahead of a foreign node may be gone as well, which nothing has told.
      if (!place.owner && !this.#isUp(waiter)) this.#list({ isUrgent: true });
      else this.look(waiter);
    }
  }

  #isUp({ place }: Contender): boolean {
    return place !== undefined && this.#known?.isUp(place) === true;
  }

  #list(options?: { isUrgent: boolean }): void {
    if (this.#isConnected) this.#lists.list(options);
  }

  onListed(names: readonly string[], list: QueueList): void {
    const { dialect, directory } = this.context;
    try {
      this.#know(dialect.parse(directory, names), list);
    } catch (error) {
      this.#forget();
      this.onListRefused(error as Error);
      return;
    }
    this.#lookAtAll();
    this.#watches?.prune((name) => waitersOf(this.#known?.find(name)).length > 0);
  }

  /** Takes a list for what is known; holders and waiters whose nodes are missing hear of it first. */
  #know(nodes: readonly QueueNode[], { sent, gone }: QueueList): void {
    const known = this.#newKnown(nodes);
    if (this.#known) known.follow(this.#known);
    this.#known = known;
    for (const contender of [...this.#contenders.values()]) {
      contender.place = contender.blocker = undefined;
      const place = known.find(contender.own?.name ?? '');
      if (place) {
        this.#stand(known, contender, place);
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

  #newKnown(nodes: readonly QueueNode[]): KnownQueue<Contender> {
    return new KnownQueue(nodes, this.context.dialect.hasReaders);
  }

  #lookAtAll(): void {
    for (const contender of [...this.#contenders.values()]) this.look(contender);
  }

  onListRefused(error: Error): void {
    for (const contender of [...this.#contenders.values()]) {
      if (contender.state !== 'queued') continue;
      const isShared = error instanceof LockDirectoryError;
      const own = isShared ? new LockDirectoryError(messageWithoutLink(error)) : error;
      this.giveUp(contender, own);
    }
  }

  /** What was known has turned out wrong. */
  #startOver(): void {
    this.#forget();
    this.#lists.forget();
    this.#lookAtAll();
  }

  /** Nothing is known any more of the order. */
  #forget(): void {
    this.#known = undefined;
    this.#watches?.prune(() => false);
    for (const contender of this.#contenders.values()) {
      contender.place = contender.blocker = undefined;
    }
  }

  /** Ends a contender that has not been granted, and removes its node. False where it has ended. */
  #end(contender: Contender): boolean {
    const { state, own, creation, entry, wait } = contender;
    const { remover } = entry.context;
    if (state !== 'creating' && state !== 'queued') return false;
    contender.state = 'ended';
    contender.blocker = undefined;
    wait.leave(contender);
    if (creation) remover.adopt(this.lease, creation);
    if (own) {
      own.abandon();
      void remover.remove(this.lease, own.path);
    }
    return true;
  }

  /** Keeps what it knows only where that is of use: of other nodes, nothing tells any more. */
  #rest(): void {
    if (this.#known?.isEmpty) this.#known.last = undefined;
    else this.#forget();
  }
}
