import type { Created } from '../client/zookeeper-client.js';
import type { LockMode } from '../lock.js';
import { type Dialect, sequenceOf } from './dialect.js';
import { SessionOverError } from '../session/session-requests.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Place } from './known-queue.js';
import type { NodePlace, QueueContext } from './lock-node.js';
import type { Removal } from './node-remover.js';
import type { NodeKeeper, OwnNode } from './own-node.js';
import type { Step, Wait } from './wait.js';

/** What it takes to have a node in a queue, and to have it removed. */
export interface Entry {
  readonly context: QueueContext;
  readonly dialect: Dialect;
  /** As which its nodes stand in the queue. */
  readonly mode: LockMode;
  readonly place: NodePlace;
}

/** `queued`: its node is in the directory. `granted`: it is up, until its node is removed. */
type ContenderState = 'creating' | 'queued' | 'granted' | 'ended';

/** What happens to a contender, as its queue hears of it. */
export interface ContenderListener {
  giveUp(contender: Contender, error: Error): void;
  lost(contender: Contender): void;
  look(contender: Contender): void;
}

/** The call that waits for a contender's turn. */
export interface ContenderCall {
  /** The contender is up; undefined where its node is gone. */
  resolve(granted: Contender | undefined): void;
  /** @param error that of the wait, or {@link SessionOverError} {@link ZooKeeperError} {@link LockDirectoryError} */
  reject(error: Error): void;
}

/** One node of this process in a queue, and the call that waits for its turn. */
export class Contender implements Step, NodeKeeper {
  state: ContenderState = 'creating';
  /** Set while `creating`. */
  creation: Promise<Created> | undefined;
  /** Set once its creation was answered, as is what follows. */
  own: OwnNode | undefined;
  sequence = -1;
  /** Set when its creation is sent: lists with a higher number show its node, if it exists. */
  since = 0;
  /** Where it stands; undefined until that is known. */
  place: Place<Contender> | undefined;
  /** The node that it waits for. */
  blocker: Place<Contender> | undefined;
  /** Its node is read before it is granted, since it had to wait. */
  isRead = false;
  /** How its node is removed, or was. */
  removal: Removal | undefined;

  constructor(
    private readonly queue: ContenderListener,
    readonly entry: Entry,
    readonly wait: Wait,
    readonly call: ContenderCall,
  ) {}

  /** Its node was created. @returns the number of that */
  queued(own: OwnNode): number {
    this.state = 'queued';
    this.own = own;
    return (this.sequence = sequenceOf(own.path));
  }

  /** Nothing is known any more of its place. */
  unplace(): void {
    this.place = this.blocker = undefined;
  }

  /** Reads its node and sets the watch on it, so that it can be granted without a request. */
  read(): void {
    this.isRead = true;
    this.own?.keepFor(this);
    this.own?.read().then(
      (czxid) => {
        if (czxid === undefined) this.queue.lost(this);
        else this.queue.look(this);
      },
      (error: unknown) => this.queue.giveUp(this, error as Error),
    );
  }

  /** Ends it where it has not been granted, and removes its node. False where it has ended. */
  end(lease: SessionLease): boolean {
    const { state, own, creation, entry } = this;
    const { remover } = entry.context;
    if (state !== 'creating' && state !== 'queued') return false;
    this.state = 'ended';
    this.blocker = undefined;
    this.wait.leave(this);
    if (creation) remover.adopt(lease, creation);
    if (own) {
      own.abandon();
      void remover.remove(lease, own.path);
    }
    return true;
  }

  /** Its node has gone with the session. */
  endWithSession(): void {
    if (this.state !== 'queued') return;
    this.state = 'ended';
    this.own?.abandon();
    this.wait.leave(this);
    this.call.reject(new SessionOverError());
  }

  /** The wait is over. */
  fail(error: Error): void {
    this.queue.giveUp(this, error);
  }

  onLost(): void {
    this.queue.lost(this);
  }

  onRevoked(): void {
    // It holds nothing yet that it could give up.
  }

  onConfirmed(): void {
    this.queue.look(this);
  }
}

/** The most nodes of ours that are asked whether they exist; ten thousand may wait. */
const MOST_PINS = 100;

/**
 * Whether a node of ours with a place is certain to exist, so that the directory is the one that was
 * listed.
 *
 * @param contenders the oldest first: the watches on their nodes are set
 */
export function isPinned(contenders: ReadonlyMap<string, Contender>): boolean {
  let asked = 0;
  for (const { state, place, own } of contenders.values()) {
    // Of a node that is being removed, no watch tells any more.
    if (state !== 'ended' && place && own?.isConfirmed) return true;
    if (++asked === MOST_PINS) return false;
  }
  return false;
}

/** Whether a node leaves nothing in its place: a holder may have put another node there. */
export function hasNoTwin(owner: Contender | undefined): boolean {
  if (owner?.state === 'ended') return owner.removal !== 'replaced';
  return owner?.state === 'queued';
}

/** From so many on, it is looked whether the waiters of a node still wait for it. */
const MANY_WAITERS = 256;

/** Has a contender wait for a node. */
export function waitFor(place: Place<Contender>, contender: Contender): void {
  contender.blocker = place;
  // Most nodes have one waiter: a push would make room for 17.
  if (!place.waiters) place.waiters = [contender];
  else place.waiters.push(contender);
  // At 256, 512, 1,024 …: those that have given up are not kept for as long as the node stays.
  const { length } = place.waiters;
  const isDue = length >= MANY_WAITERS && (length & (length - 1)) === 0;
  if (isDue) place.waiters = waitersOf(place);
}

/** The contenders that still wait for a node. */
export function waitersOf(place: Place<Contender> | undefined): Contender[] {
  return place?.waiters?.filter(({ blocker }) => blocker === place) ?? [];
}
