import { orIfGone, type Session, type SessionLease } from 'zk-client/recipes';

interface Listing {
  readonly lease: SessionLease;
  readonly answered: Promise<unknown>;
  /**
   * For all callers that ask while this list is on its way, because it may have been sent too early
   * for them.
   */
  next?: Promise<string[]>;
}

/**
 * Lists directories, each at most once at a time. When many contenders of this process examine one
 * queue together, all except the first share one list; otherwise, a long queue would be sent to
 * each of them.
 */
export class DirectoryLists {
  readonly #underway = new Map<string, Listing>();

  constructor(private readonly session: Session) {}

  /**
   * Returns the children as they are at some instant after this call; empty if there is no
   * directory.
   */
  list(lease: SessionLease, directory: string): Promise<string[]> {
    const underway = this.#underway.get(directory);
    if (underway?.lease !== lease) return this.#send(lease, directory);
    underway.next ??= underway.answered.then(() => this.#send(lease, directory));
    return underway.next;
  }

  #send(lease: SessionLease, directory: string): Promise<string[]> {
    const answer = orIfGone(this.session.list(lease, directory), []);
    const forget = (): void => {
      if (!listing.next && this.#underway.get(directory) === listing) {
        this.#underway.delete(directory);
      }
    };
    const listing: Listing = { lease, answered: answer.then(forget, forget) };
    this.#underway.set(directory, listing);
    return answer;
  }
}
