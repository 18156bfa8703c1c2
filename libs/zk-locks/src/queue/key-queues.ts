import { nameOf, parentOf } from '../client/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Dialect } from './dialect.js';
import { KeyQueue } from './key-queue.js';
import type { Removal, RemovalListener } from './node-remover.js';

/** So many queues are kept, in use or not: what they know spares the next acquire a list. */
const MOST_QUEUES = 4_096;

/** The queues that this process stands in, or stood in lately: one for each lock directory. */
export class KeyQueues implements RemovalListener {
  readonly #byDirectory = new Map<string, KeyQueue>();
  readonly #onOver = (queue: KeyQueue): void => {
    const { directory } = queue;
    if (this.#byDirectory.get(directory) === queue) this.#byDirectory.delete(directory);
  };

  constructor(private readonly session: Session) {
    session.onState(({ name }) => {
      if (name === 'connected') this.#connected();
      else this.#disconnected();
    });
  }

  /** The queue of a directory in the session of `lease`. */
  of(lease: SessionLease, directory: string, dialect: Dialect): KeyQueue {
    const known = this.#byDirectory.get(directory);
    if (known?.lease === lease) return known;
    const queue = new KeyQueue(this.session, lease, directory, dialect, this.#onOver);
    this.#byDirectory.set(directory, queue);
    if (this.#byDirectory.size > MOST_QUEUES) this.#forgetOldest();
    return queue;
  }

  onRemoving(lease: SessionLease, path: string, removal: Removal): void {
    this.#find(lease, path)?.removing(nameOf(path), removal);
  }

  onRemoved(lease: SessionLease, path: string, removal: Removal, wasThere: boolean): void {
    this.#find(lease, path)?.removed(nameOf(path), removal, wasThere);
  }

  onRefused(lease: SessionLease, path: string): void {
    this.#find(lease, path)?.refused(nameOf(path));
  }

  #connected(): void {
    for (const queue of [...this.#byDirectory.values()]) queue.connected();
  }

  #disconnected(): void {
    for (const queue of [...this.#byDirectory.values()]) queue.disconnected();
  }

  /** One that is in use stays, and counts as a new one. */
  #forgetOldest(): void {
    const [oldest] = this.#byDirectory.values();
    if (!oldest) return;
    this.#byDirectory.delete(oldest.directory);
    if (oldest.isIdle) oldest.stop();
    else this.#byDirectory.set(oldest.directory, oldest);
  }

  #find(lease: SessionLease, path: string): KeyQueue | undefined {
    const queue = this.#byDirectory.get(parentOf(path));
    return queue?.lease === lease ? queue : undefined;
  }
}
