import { nameOf, parentOf } from '../client/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Dialect } from './dialect.js';
import { KeyQueue } from './key-queue.js';
import type { Removal, RemovalListener } from './node-remover.js';
import { Succession } from './succession.js';

/** The queues that this process stands in: one for each lock directory in use. */
export class KeyQueues implements RemovalListener {
  readonly #byDirectory = new Map<string, KeyQueue>();
  readonly succession = new Succession();
  readonly #onIdle = (queue: KeyQueue): void => {
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
    const { session, succession } = this;
    const onIdle = this.#onIdle;
    const queue = new KeyQueue({ session, lease, directory, dialect, succession, onIdle });
    this.#byDirectory.set(directory, queue);
    return queue;
  }

  onRemoving(lease: SessionLease, path: string, removal: Removal): void {
    this.#find(lease, path)?.removing(nameOf(path), removal);
  }

  onRemoved(lease: SessionLease, path: string, removal: Removal): void {
    this.#find(lease, path)?.removed(nameOf(path), removal);
  }

  onRefused(lease: SessionLease, path: string): void {
    this.#find(lease, path)?.refused(nameOf(path));
  }

  #connected(): void {
    this.succession.forget();
    for (const queue of [...this.#byDirectory.values()]) queue.connected();
  }

  #disconnected(): void {
    for (const queue of [...this.#byDirectory.values()]) queue.disconnected();
  }

  #find(lease: SessionLease, path: string): KeyQueue | undefined {
    const queue = this.#byDirectory.get(parentOf(path));
    return queue?.lease === lease ? queue : undefined;
  }
}
