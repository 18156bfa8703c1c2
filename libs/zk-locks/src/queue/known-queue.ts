import type { QueueNode } from './dialect.js';
import { isConnectionError } from '../client/client-errors.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { orIfGone } from '../session/session-requests.js';

/** A node of a queue, at the place where it stands. */
export interface Place<Owner> extends QueueNode {
  /** Our contender, where the node is one of ours. */
  owner: Owner | undefined;
  /** Our contenders that wait for this node to go. */
  waiters: Owner[] | undefined;
  isGone: boolean;
  /** Its owner may have left a reader's node in its place. */
  mayHideReader: boolean;
  /** Grows along the queue. */
  readonly ordinal: number;
  /** The place behind, whether its node is gone or not. */
  next: Place<Owner> | undefined;
  /** The nearest living neighbours. */
  before: Place<Owner> | undefined;
  after: Place<Owner> | undefined;
  /** The last writer before it; one that is gone is followed to the one before. */
  writerBefore: Place<Owner> | undefined;
}

interface RemovedNode {
  readonly sequence: number;
  readonly czxid: bigint;
}

/** The number of places of gone nodes that may be kept in any case. */
const MOST_GONE = 200;

/**
 * The order of one lock directory as it was listed, with the nodes that have come and gone since.
 *
 * Everything before `head` is gone. `reach` is the first writer at or behind `head`, gone or not.
 * A writer is up when it stands at the head; a reader is up when it stands before `reach`.
 *
 * New nodes stand behind the listed ones, except one: the holder of a node can create another node in
 * the same place. The reader's node of a downgrade stays when the writer's node is deleted, so behind
 * a writer that was not ours, no writer is up until the next list. The writer's node of an upgrade
 * comes while readers may hold the lock; its owner lists the queue behind it, and finds them.
 */
export class KnownQueue<Owner> {
  readonly #places = new Map<string, Place<Owner>>();
  #head: Place<Owner> | undefined;
  #reach: Place<Owner> | undefined;
  #tail: Place<Owner> | undefined;
  #lastWriter: Place<Owner> | undefined;
  #lastLiving: Place<Owner> | undefined;
  #lastSequence = -1;
  #mayHideReader = false;
  /** How many places are kept, from head to tail. */
  #kept = 0;
  /** Our contender that stands last. */
  last: Owner | undefined;
  /** The node that we removed last. */
  #removed: RemovedNode | undefined;
  /** Whether {@link wasLeftBefore} is likely of our next node, as it would have been of the latest. */
  isSteady = false;

  /**
   * @param nodes in order
   * @param hasReaders whether a writer can leave a reader in its place
   */
  constructor(
    nodes: readonly QueueNode[],
    private readonly hasReaders: boolean,
  ) {
    for (const node of nodes) this.append(node);
  }

  /** The number of the last node that is known, gone or not; -1 before the first. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Whether most of what is kept is gone, behind a node that stays: a list is shorter. */
  get isWorn(): boolean {
    return this.#kept > 2 * this.#places.size + MOST_GONE;
  }

  /** Whether all nodes are gone. */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /**
   * Whether the next node of ours can only be behind all of these: all are gone, and its czxid shows
   * that the directory is still the one that was listed. Had it been removed and made again since we
   * removed a node from it, more transactions would have followed that node's creation than there are
   * numbers before the new one.
   */
  wasLeftBefore(sequence: number, czxid: bigint | undefined): boolean {
    const removed = this.#removed;
    if (!this.isEmpty || !removed || czxid === undefined) return false;
    return czxid > removed.czxid && czxid - removed.czxid <= BigInt(sequence);
  }

  /** Takes over what an earlier list of the same connection has told of our removals. */
  follow(earlier: KnownQueue<Owner>): void {
    this.#removed = earlier.#removed;
    this.isSteady = earlier.isSteady;
  }

  /** Our node is being removed. */
  removing(sequence: number, czxid: bigint | undefined): void {
    const before = this.#removed;
    this.#removed = czxid === undefined ? undefined : { sequence, czxid };
    // One number more is allowed to the next one.
    const isSoon = czxid !== undefined && before && czxid - before.czxid <= BigInt(sequence + 1);
    this.isSteady = before?.sequence === sequence - 1 && isSoon === true;
  }

  /** A contender of ours stands there. */
  stand(contender: Owner & { place: Place<Owner> | undefined }, place: Place<Owner>): void {
    place.owner = contender;
    contender.place = place;
    this.last = contender;
  }

  find(name: string): Place<Owner> | undefined {
    return this.#places.get(name);
  }

  /** A node has come, behind all others. */
  append({ name, mode, sequence }: QueueNode): Place<Owner> {
    // Without spreading: a directory may have many thousand nodes, and they are taken in one go.
    const place: Place<Owner> = {
      name,
      mode,
      sequence,
      owner: undefined,
      waiters: undefined,
      isGone: false,
      mayHideReader: false,
      ordinal: (this.#tail?.ordinal ?? 0) + 1,
      next: undefined,
      before: this.#lastLiving,
      after: undefined,
      writerBefore: livingWriter(this.#lastWriter),
    };
    if (this.#lastLiving) this.#lastLiving.after = place;
    if (this.#tail) this.#tail.next = place;
    this.#lastLiving = this.#tail = place;
    if (mode === 'write') this.#lastWriter = place;
    if (mode === 'write') this.#reach ??= place;
    this.#head ??= place;
    this.#lastSequence = sequence;
    this.#places.set(name, place);
    this.#kept++;
    return place;
  }

  /**
   * A node was deleted.
   *
   * @param isForGood whether its owner has left no other node in its place
   */
  remove(place: Place<Owner>, { isForGood }: { isForGood: boolean }): void {
    if (place.isGone) return;
    place.isGone = true;
    this.#places.delete(place.name);
    if (this.#lastLiving === place) this.#lastLiving = place.before;
    if (place.before) place.before.after = place.after;
    if (place.after) place.after.before = place.before;
    place.before = place.after = undefined;
    place.mayHideReader = this.hasReaders && place.mode === 'write' && !isForGood;
    this.#advance();
  }

  /** Whether it is certain that no node keeps this one waiting. */
  isUp(place: Place<Owner>): boolean {
    if (place.mode === 'read') return !this.#reach || place.ordinal < this.#reach.ordinal;
    return place === this.#head && !this.#mayHideReader;
  }

  /**
   * The node that keeps this one waiting, the last one to go. Undefined where none is known to: then
   * it is up, or only a list can tell.
   */
  blockerOf(place: Place<Owner>): Place<Owner> | undefined {
    if (place.mode === 'write') return place.before;
    return (place.writerBefore = livingWriter(place.writerBefore));
  }

  #advance(): void {
    while (this.#head?.isGone) {
      if (this.#head.mayHideReader) this.#mayHideReader = true;
      this.#head.writerBefore = undefined;
      this.#head = this.#head.next;
      this.#kept--;
    }
    const head = this.#head;
    if (!head) {
      this.#reach = this.#tail = this.#lastWriter = undefined;
      return;
    }
    let reach = this.#reach;
    if (reach && reach.ordinal < head.ordinal) reach = head;
    while (reach?.mode === 'read') reach = reach.next;
    this.#reach = reach;
  }
}

function livingWriter<Owner>(writer: Place<Owner> | undefined): Place<Owner> | undefined {
  let living = writer;
  while (living?.isGone) living = living.writerBefore;
  return living;
}

/** A list of a directory that is under way. */
export interface QueueList {
  /** Its number: higher than what {@link QueueLists.next} gave before it was sent. */
  readonly sent: number;
  /** A hand-over waits for it. */
  readonly isUrgent: boolean;
  /** The nodes that have gone since it was sent; whether for good. */
  readonly gone: Map<string, boolean>;
}

export interface ListListener {
  onListed(names: readonly string[], list: QueueList): void;
  onListRefused(error: Error): void;
}

/**
 * Lists one directory, once at a time.
 *
 * A session's requests are executed in the order in which they were sent, but their answers may be
 * taken a few microtasks out of order, and a throttled request is sent again. So lists are numbered:
 * what is known when a list is sent must be in it.
 */
export class QueueLists {
  #sent = 0;
  #underway: QueueList | undefined;

  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    private readonly directory: string,
    private readonly listener: ListListener,
  ) {}

  get isUnderway(): boolean {
    return this.#underway !== undefined;
  }

  /** A number between those of the lists that were sent before now and those that follow. */
  next(): number {
    return ++this.#sent;
  }

  /** @param options `isUrgent`: does not wait for a list that was sent for newcomers, but replaces it */
  list({ isUrgent = false } = {}): void {
    const { session, lease, directory } = this;
    if (this.#underway && (this.#underway.isUrgent || !isUrgent)) return;
    const list: QueueList = { sent: this.next(), isUrgent, gone: new Map() };
    this.#underway = list;
    orIfGone(session.list(lease, directory), []).then(
      (names) => {
        if (this.#end(list)) this.listener.onListed(names, list);
      },
      (error: unknown) => {
        if (this.#end(list) && !isConnectionError(error)) {
          this.listener.onListRefused(error as Error);
        }
      },
    );
  }

  /** A node has gone, which a list that is under way may still show. */
  gone(name: string, isForGood: boolean): void {
    this.#underway?.gone.set(name, isForGood);
  }

  /** The connection is lost. */
  forget(): void {
    this.#underway = undefined;
  }

  /** Whether the list is the latest one, and of the present connection. */
  #end(list: QueueList): boolean {
    if (this.#underway !== list) return false;
    this.#underway = undefined;
    return true;
  }
}
