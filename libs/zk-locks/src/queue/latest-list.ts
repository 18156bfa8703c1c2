import {
  isConnectionError,
  nextTick,
  orIfGone,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';
import type { Dialect, QueueNode } from '../nodes/dialect.js';
import { atOnce, inSlices } from '../slices.js';

/** More names than this are read in several turns of the event loop. */
const MANY_NAMES = 2_000;

/** Who needs the list of a directory, in the session of a lease. */
export interface ListedQueue {
  readonly session: Session;
  readonly lease: SessionLease;
  readonly directory: string;
  readonly dialect: Dialect;
  /** @param list the number of the list */
  onListed(order: QueueNode[], list: number): void;
  /** The list was refused, or contains nodes that do not belong there. */
  onListRefused(error: Error): void;
}

/**
 * Lists one directory, once at a time, and once for everything that happens in one turn of the
 * event loop.
 *
 * A session's requests are executed in the order in which they are sent. Lists and creations are
 * numbered together: a list shows the node of each creation with a lower number.
 */
export class LatestList {
  #lastNumber = 0;
  /** The number of the list that is under way, or 0. */
  #underway = 0;
  #isWanted = false;
  #parsing: Generator<undefined, QueueNode[]> | undefined;

  constructor(private readonly queue: ListedQueue) {}

  /** The number of a list or a creation that is sent now. */
  next(): number {
    return ++this.#lastNumber;
  }

  /**
   * Requests a list after everything that is sent in this turn, unless a list is under way that was
   * sent after the creation with this number. A list between two creations would prevent them from
   * sharing a transaction.
   */
  want(behind = this.#lastNumber): void {
    if (this.#isWanted || this.#underway > behind) return;
    this.#isWanted = true;
    nextTick(() => this.#request());
  }

  /** Ignores the list that is under way. */
  forget(): void {
    this.#isWanted = false;
    this.#underway = 0;
    this.#parsing?.return([]);
  }

  #request(): void {
    const { session, lease, directory } = this.queue;
    if (!this.#isWanted || this.#underway > 0) return;
    this.#isWanted = false;
    if (session.connectedLease !== lease) return;
    const list = (this.#underway = this.next());
    orIfGone(session.list(lease, directory), []).then(
      // First come the reactions to the answers that came before this one.
      (names) => nextTick(() => this.#read(names, list)),
      (error: unknown) => this.#refuse(error, list),
    );
  }

  #read(names: readonly string[], list: number): void {
    if (this.#underway !== list) return;
    const { directory, dialect } = this.queue;
    const tell = (order: QueueNode[]): void => {
      if (this.#end(list)) this.queue.onListed(order, list);
    };
    const refuse = (error: unknown): void => this.#refuse(error, list);
    this.#parsing = dialect.parse(directory, names);
    if (names.length > MANY_NAMES) {
      inSlices(this.#parsing).then(tell, refuse);
      return;
    }
    let order: QueueNode[];
    try {
      order = atOnce(this.#parsing);
    } catch (error) {
      refuse(error);
      return;
    }
    tell(order);
  }

  #refuse(error: unknown, list: number): void {
    if (this.#end(list) && !isConnectionError(error)) this.queue.onListRefused(error as Error);
  }

  /** Whether the list has not been ignored meanwhile. */
  #end(list: number): boolean {
    if (this.#underway !== list) return false;
    this.#underway = 0;
    this.#parsing = undefined;
    this.#request();
    return true;
  }
}
