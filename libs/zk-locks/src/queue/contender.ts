import { join } from '../client/node-path.js';
import type { LockMode } from '../lock.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Dialect } from './dialect.js';
import {
  type CreatedNode,
  createLockNode,
  type Ground,
  type LockNodeOptions,
  type NodePlace,
} from './lock-node.js';
import { aheadOf, type QueueNode, type WaitsFor } from './lock-queue.js';
import { nodeEvent } from './node-event.js';
import { OwnNode } from './own-node.js';
import { persist } from './persist.js';
import type { SeenQueue, SeenQueues } from './seen-queues.js';
import type { Succession } from './succession.js';
import type { Wait } from './wait.js';

export interface Queue extends Ground {
  readonly seen: SeenQueues;
  readonly succession: Succession;
  readonly dialect: Dialect;
  /** As which its nodes stand in the queue. */
  readonly mode: LockMode;
  readonly waitsFor: WaitsFor;
  readonly place: NodePlace;
}

/**
 * Makes of a contender's node, whose turn it is, what the contender wanted it for, and takes it over
 * with its watch. Undefined where the node turns out to be gone.
 */
export type Claim<T> = (own: OwnNode) => Promise<T | undefined>;

/** Whom a contender waits for; `first` where it is its turn, `gone` where it is not in the queue. */
type Standing = QueueNode | 'first' | 'gone';

/** One node in a queue, from before it is created until it is claimed or removed. */
export class Contender {
  readonly #seen: SeenQueue;
  #own: OwnNode | undefined;
  #secured: Promise<void> | undefined;
  /** As it joined, where that is known. */
  #standing: Standing | undefined;

  constructor(
    private readonly queue: Queue,
    private readonly lease: SessionLease,
    private readonly wait: Wait,
  ) {
    const { seen, place, dialect } = queue;
    this.#seen = seen.enter(lease, place.directory, dialect.hasReaders);
  }

  /**
   * What `claim` makes of the node when its turn has come. Undefined where the node is gone before;
   * then, and where this throws, it is removed.
   *
   * While it waits, this is the only function of its that does: ten thousand may.
   *
   * @throws the error of the wait
   * @throws {SessionOverError} {@link ZooKeeperError} {@link LockDirectoryError}
   */
  async run<T>(claim: Claim<T>): Promise<T | undefined> {
    const { queue, wait } = this;
    let claimed: T | undefined;
    try {
      const own = await this.#join();
      let standing = this.#standing ?? (await this.#look(own));
      while (typeof standing === 'object') {
        await this.#change(own, standing);
        standing =
          this.#standingSince(own) ??
          (await this.#standingAfterRemovals(own)) ??
          (await this.#look(own));
      }
      if (standing === 'first') claimed = await wait.for(unlessRefused(claim(own), this.#secured));
      return claimed;
    } finally {
      if (claimed === undefined) this.#discard();
      queue.seen.leave(queue.place.directory, this.#seen);
    }
  }

  /** Nobody keeps the names: each of ten thousand waiters would have thousands of its own. */
  async #join(): Promise<OwnNode> {
    const { queue, lease, wait } = this;
    const { session, succession, dialect, place } = queue;
    const lists = !succession.isLikely(place.directory);
    const { path, czxid, names, secured } = await joinQueue(queue, lease, wait, { lists });
    // The list shows whether it was there a moment later; where there is none, a read is about to.
    const isNew = names !== undefined || !lists;
    const own = new OwnNode({ session, lease, path, czxid: isNew ? czxid : undefined });
    this.#own = own;
    this.#secured = secured;
    const sequence = Number(dialect.sequenceText(own.name));
    succession.arrived(place.directory, sequence);
    if (names) this.#standing = this.#standingIn(own, names);
    else if (!lists) this.#standing = await this.#standingAlone(own, sequence);
    return own;
  }

  /** Without a list: undefined where nothing is certain. */
  async #standingAlone(own: OwnNode, sequence: number): Promise<Standing | undefined> {
    const { succession, place } = this.queue;
    const czxid = own.czxid ?? (await this.wait.for(own.confirm()));
    if (czxid === undefined) return 'gone';
    return succession.isFirst(place.directory, sequence, czxid) ? 'first' : undefined;
  }

  #discard(): void {
    const own = this.#own;
    if (!own) return;
    own.abandon();
    void this.queue.reaper.remove(own.lease, own.path);
  }

  #standingIn({ name }: OwnNode, names: readonly string[]): Standing {
    const { dialect, waitsFor, place } = this.queue;
    const nodes = this.#seen.listed(place.directory, names, dialect);
    const ahead = aheadOf(nodes, name);
    return ahead ? (waitsFor(ahead) ?? 'first') : 'gone';
  }

  async #look(own: OwnNode): Promise<Standing> {
    const { session, lists, place } = this.queue;
    const listing = persist(session, this.lease, () => lists.list(this.lease, place.directory));
    return this.#standingIn(own, await this.wait.for(listing));
  }

  /** As far as it is known without another look. */
  #standingSince(own: OwnNode): Standing | undefined {
    if (own.isLost) return 'gone';
    return own.isConfirmed && this.#seen.isUp(this.#nodeOf(own)) ? 'first' : undefined;
  }

  /** Where those ahead go by our own hand, the answer to that comes before the answer to a look. */
  async #standingAfterRemovals(own: OwnNode): Promise<Standing | undefined> {
    const { reaper, place, mode } = this.queue;
    let waitedFor: QueueNode | undefined;
    for (;;) {
      const ahead = this.#seen.ahead(mode);
      const removal =
        ahead && ahead !== waitedFor && reaper.removal(join(place.directory, ahead.name));
      if (!removal) return undefined;
      waitedFor = ahead;
      await this.wait.for(removal);
      const standing = this.#standingSince(own);
      if (standing) return standing;
    }
  }

  #nodeOf({ name }: OwnNode): QueueNode {
    const { dialect, mode } = this.queue;
    return { name, mode, sequence: Number(dialect.sequenceText(name)) };
  }

  /**
   * Resolves when the queue may have changed for this contender.
   *
   * A node that has to wait is read, and watched, beside the one that it waits for: so nothing but
   * the queue is left to be looked at when that has gone, and its own deletion ends the wait at once.
   *
   * @throws the error of the wait
   */
  #change(own: OwnNode, blocker: QueueNode): Promise<void> {
    const { wait } = this;
    wait.blocked();
    wait.throwIfOver();
    const { session, place, reaper } = this.queue;
    const path = join(place.directory, blocker.name);
    const onGone = (): void => this.#seen.left(blocker, reaper.removesForGood(path));
    return nodeEvent(session, this.lease, path, wait, { own, onGone });
  }
}

/**
 * Creates a contender's node; it is removed when `wait` ends before it is there. Ends `wait` where it
 * cannot be restricted.
 */
export async function joinQueue(
  queue: Queue,
  lease: SessionLease,
  wait: Wait,
  options?: LockNodeOptions,
): Promise<CreatedNode> {
  const creating = createLockNode(queue, lease, queue.place, wait, options);
  try {
    const created = await wait.for(creating);
    created.secured?.catch((error: unknown) => wait.stop(error as Error));
    return created;
  } catch (error) {
    queue.reaper.adopt(lease, creating);
    throw error;
  }
}

/** The claim's requests were sent behind those that secure the node: there is nothing to wait for. */
function unlessRefused<T>(claiming: Promise<T>, secured?: Promise<void>): Promise<T> {
  return secured ? Promise.all([claiming, secured]).then(([claimed]) => claimed) : claiming;
}
