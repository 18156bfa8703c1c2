import { nameOf, parentOf } from '../client/node-path.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Dialect } from './dialect.js';
import type { LockMode } from '../lock.js';
import type { QueueNode } from './lock-queue.js';

/**
 * A queue as it was when this process last listed it, less the nodes that it has seen go since.
 *
 * New nodes stand behind those that are there, with one exception: whoever has a node can put another
 * one in the same place, the reader's of a downgrade or the writer's of an upgrade. The latter goes
 * before the reader's node that it belongs to. The former stays when the writer's node has gone, so
 * after a writer of somebody else nothing is certain until the next list.
 */
export class SeenQueue {
  #names: readonly string[] | undefined;
  #queue: readonly QueueNode[] = [];
  /** The first of the queue that may be there. */
  #head = 0;
  /** The first writer of those. */
  #writer = 0;
  readonly #gone = new Set<string>();
  #mayHideReader = false;

  /** @param hasReaders whether a writer can leave a reader in its place */
  constructor(private readonly hasReaders: boolean) {}

  /**
   * The queue was listed. Of ten thousand contenders that share one list, the first puts it in order:
   * the same array of names again is the same list.
   *
   * @throws {LockDirectoryError} as {@link Dialect.parse}
   */
  listed(
    directory: string,
    names: readonly string[],
    dialect: Pick<Dialect, 'parse'>,
  ): readonly QueueNode[] {
    if (names !== this.#names) {
      this.saw(dialect.parse(directory, names));
      this.#names = names;
    }
    return this.#queue;
  }

  /** The queue is like this. */
  saw(queue: readonly QueueNode[]): void {
    this.#queue = queue;
    this.#head = 0;
    this.#writer = 0;
    this.#gone.clear();
    this.#mayHideReader = false;
  }

  /** A node was deleted. `isForGood`: whoever had it has no other in its place. */
  left({ name, mode }: QueueNode, isForGood: boolean): void {
    this.#gone.add(name);
    if (this.hasReaders && mode === 'write' && !isForGood) this.#mayHideReader = true;
  }

  /** A node of ours is gone for good, which may be in the list. */
  removed(name: string): void {
    // Nor are there more to be remembered.
    if (this.#gone.size < this.#queue.length) this.#gone.add(name);
  }

  /** Whether it is certain that nobody keeps the node waiting any more. */
  isUp({ name, mode, sequence }: QueueNode): boolean {
    if (mode === 'read') return this.#isPastWriters(sequence);
    return !this.#mayHideReader && this.#first()?.name === name;
  }

  /** The first that may keep a node in this mode waiting. */
  ahead(mode: LockMode): QueueNode | undefined {
    return mode === 'read' ? this.#firstWriter() : this.#first();
  }

  /**
   * Whether all are gone that were before the last writer ahead of a reader, and that writer. What may
   * have come to stand before it since are readers that have been writers, and never will again, and
   * the writer's node of a reader that is in the list and was let in after all these: it finds this
   * reader in its way, with no writer in between.
   */
  #isPastWriters(sequence: number): boolean {
    const writer = this.#firstWriter();
    const last = this.#queue.at(-1);
    if (!last || last.sequence < sequence) return false;
    return !writer || sequence < writer.sequence;
  }

  #first(): QueueNode | undefined {
    while (this.#gone.delete(this.#queue[this.#head]?.name ?? '')) this.#head++;
    return this.#queue[this.#head];
  }

  #firstWriter(): QueueNode | undefined {
    this.#first();
    this.#writer = Math.max(this.#writer, this.#head);
    while (this.#queue[this.#writer]?.mode === 'read') this.#writer++;
    return this.#queue[this.#writer];
  }
}

interface Shared {
  readonly lease: SessionLease;
  readonly queue: SeenQueue;
  contenders: number;
}

/** What the contenders of this process know together of the queues that they stand in. */
export class SeenQueues {
  readonly #byDirectory = new Map<string, Shared>();

  /** What is known of a queue; forgotten when the last of its contenders has left. */
  enter(lease: SessionLease, directory: string, hasReaders: boolean): SeenQueue {
    const known = this.#byDirectory.get(directory);
    const shared =
      known?.lease === lease ? known : { lease, queue: new SeenQueue(hasReaders), contenders: 0 };
    this.#byDirectory.set(directory, shared);
    shared.contenders++;
    return shared.queue;
  }

  /** A node of this process is gone for good. */
  removed(path: string): void {
    this.#byDirectory.get(parentOf(path))?.queue.removed(nameOf(path));
  }

  /** A contender that had entered has left; that of an earlier session leaves nothing. */
  leave(directory: string, queue: SeenQueue): void {
    const shared = this.#byDirectory.get(directory);
    if (shared?.queue !== queue) return;
    shared.contenders--;
    if (shared.contenders === 0) this.#byDirectory.delete(directory);
  }
}
