import type { SessionLease } from '../../session/session-lease.js';
import type { Dialect } from './dialect.js';
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
    this.#gone.clear();
    this.#mayHideReader = false;
  }

  /** A node was deleted. `isForGood`: whoever had it has no other in its place. */
  left({ name, mode }: QueueNode, isForGood: boolean): void {
    this.#gone.add(name);
    if (this.hasReaders && mode === 'write' && !isForGood) this.#mayHideReader = true;
  }

  /** Whether it is certain that nobody is ahead of the node any more. */
  isFirst(name: string): boolean {
    if (this.#mayHideReader) return false;
    while (this.#gone.delete(this.#queue[this.#head]?.name ?? '')) this.#head++;
    return this.#queue[this.#head]?.name === name;
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

  /** A contender that had entered has left; that of an earlier session leaves nothing. */
  leave(directory: string, queue: SeenQueue): void {
    const shared = this.#byDirectory.get(directory);
    if (shared?.queue !== queue) return;
    shared.contenders--;
    if (shared.contenders === 0) this.#byDirectory.delete(directory);
  }
}
