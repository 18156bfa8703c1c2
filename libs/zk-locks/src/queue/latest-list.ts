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
  #isWantedAgain = false;
  #isScheduled = false;

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
    if (this.#isScheduled || this.#underway > behind) return;
    this.#isScheduled = true;
    nextTick(() => {
      this.#isScheduled = false;
      if (this.#underway === 0) this.#list();
      else this.#isWantedAgain = true;
    });
  }

  /** Ignores the list that is under way. */
  forget(): void {
    this.#underway = 0;
    this.#isWantedAgain = false;
  }

  #list(): void {
    const { session, lease, directory } = this.queue;
    this.#isWantedAgain = false;
    if (session.connectedLease !== lease) return;
    const list = (this.#underway = this.next());
    orIfGone(session.list(lease, directory), []).then(
      (names) => this.#parse(names, list),
      (error: unknown) => this.#refuse(error, list),
    );
  }

  #parse(names: readonly string[], list: number): void {
    const { directory, dialect } = this.queue;
    const tell = (order: QueueNode[]): void => {
      if (this.#end(list)) this.queue.onListed(order, list);
    };
    const refuse = (error: unknown): void => this.#refuse(error, list);
    // Called after the reactions to the answers that came before this one.
    nextTick(() => {
      const parsing = dialect.parse(directory, names);
      if (names.length > MANY_NAMES) {
        inSlices(this.#whileUnderway(list, parsing)).then(tell, refuse);
        return;
      }
      let order: QueueNode[];
      try {
        order = atOnce(parsing);
      } catch (error) {
        refuse(error);
        return;
      }
      tell(order);
    });
  }

  /** Ends early when the list is ignored: its result is not reported. */
  *#whileUnderway(
    list: number,
    parsing: Generator<undefined, QueueNode[]>,
  ): Generator<undefined, QueueNode[]> {
    while (this.#underway === list) {
      const step = parsing.next();
      if (step.done) return step.value;
      yield;
    }
    return [];
  }

  #refuse(error: unknown, list: number): void {
    if (this.#end(list) && !isConnectionError(error)) this.queue.onListRefused(error as Error);
  }

  /** Whether the list belongs to the current connection. */
  #end(list: number): boolean {
    if (this.#underway !== list) return false;
    this.#underway = 0;
    if (this.#isWantedAgain) this.#list();
    return true;
  }
}
