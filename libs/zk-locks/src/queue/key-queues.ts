import {
  parentOf,
  type RemovalListeners,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';
import { KeyQueue } from './key-queue.js';
import type { QueueContext, QueueView } from './lock-node.js';

/** The queues that this process uses, one for each lock directory. */
export class KeyQueues implements RemovalListeners {
  readonly #byDirectory = new Map<string, KeyQueue>();
  readonly #onOver = (queue: KeyQueue): void => {
    const { directory } = queue;
    if (this.#byDirectory.get(directory) === queue) this.#byDirectory.delete(directory);
  };

  constructor(session: Session) {
    session.onState(() => {
      for (const queue of [...this.#byDirectory.values()]) queue.startOver();
    });
  }

  /** The queue of a directory in the session of `lease`. */
  of(lease: SessionLease, { directory, dialect }: QueueView, context: QueueContext): KeyQueue {
    const known = this.#byDirectory.get(directory);
    if (known?.lease === lease) return known;
    const queue = new KeyQueue(context, lease, directory, dialect, this.#onOver);
    this.#byDirectory.set(directory, queue);
    return queue;
  }

  find(lease: SessionLease, path: string): KeyQueue | undefined {
    const queue = this.#byDirectory.get(parentOf(path));
    return queue?.lease === lease ? queue : undefined;
  }
}
