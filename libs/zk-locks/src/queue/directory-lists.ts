import { orIfGone, type Session, type SessionLease } from 'zk-client/recipes';

interface Listing {
  readonly lease: SessionLease;
  readonly answered: Promise<unknown>;
  /** For everybody who asks while this one is on its way: it may have been sent too early for them. */
  next?: Promise<string[]>;
}

/**
 * Lists directories, each at most once at a time: of many contenders of this process that look at
 * one queue together, all but the first share one look, for which a long queue would else be sent to
 * each of them.
 */
export class DirectoryLists {
  readonly #underway = new Map<string, Listing>();

  constructor(private readonly session: Session) {}

  /** The children as they are at some instant after this call; none where there is no directory. */
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
