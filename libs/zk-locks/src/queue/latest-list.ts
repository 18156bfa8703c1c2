import {
  isConnectionError,
  nextTick,
  orIfGone,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';

export interface ListListener {
  /** @param list the number of the list */
  onListed(names: readonly string[], list: number): void;
  onListRefused(error: Error): void;
}

/**
 * Lists one directory, once at a time and once for all that happens in one turn of the event loop.
 *
 * A session's requests are executed in the order in which they are sent. Lists share one row of numbers
 * with the requests that change the directory: a list shows the effect of each request that has a lower
 * number.
 */
export class LatestList {
  #lastNumber = 0;
  /** The number of the list that is under way, or 0. */
  #underway = 0;
  #isWantedAgain = false;
  #isScheduled = false;
  /** Nodes that have gone since the list that is under way was sent. */
  #gone: Set<string> | undefined;

  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    private readonly directory: string,
    private readonly listener: ListListener,
  ) {}

  /** The number of a request that is sent now. */
  next(): number {
    return ++this.#lastNumber;
  }

  /** Lists behind all that is sent in this turn: between two creations, a list would keep them apart. */
  listSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextTick(() => {
      this.#isScheduled = false;
      this.listBehind(this.#lastNumber);
    });
  }

  /** Sees to it that a list is sent behind the request that has this number. */
  listBehind(number: number): void {
    if (this.#isScheduled || this.#underway > number) return;
    if (this.#underway === 0) this.#list();
    else this.#isWantedAgain = true;
  }

  /** A node has gone, which the list that is under way may still show. */
  gone(name: string): void {
    if (this.#underway > 0) (this.#gone ??= new Set()).add(name);
  }

  /** Ignores the list that is under way. */
  forget(): void {
    this.#underway = 0;
    this.#isWantedAgain = false;
    this.#gone = undefined;
  }

  #list(): void {
    const { session, lease, directory, listener } = this;
    if (session.connectedLease !== lease) return;
    this.#isWantedAgain = false;
    const list = (this.#underway = this.next());
    orIfGone(session.list(lease, directory), []).then(
      (names) => {
        // Behind the reactions to the answers that came before this one.
        nextTick(() => {
          const gone = this.#gone;
          if (this.#end(list)) listener.onListed(without(names, gone), list);
        });
      },
      (error: unknown) => {
        if (this.#end(list) && !isConnectionError(error)) listener.onListRefused(error as Error);
      },
    );
  }

  /** Whether the list is of the present connection. */
  #end(list: number): boolean {
    if (this.#underway !== list) return false;
    this.#underway = 0;
    this.#gone = undefined;
    if (this.#isWantedAgain) this.#list();
    return true;
  }
}

const without = (names: readonly string[], gone: Set<string> | undefined): readonly string[] =>
  gone ? names.filter((name) => !gone.has(name)) : names;
