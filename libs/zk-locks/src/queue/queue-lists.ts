import { isConnectionError } from '../client/client-errors.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { orIfGone } from '../session/session-requests.js';

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
