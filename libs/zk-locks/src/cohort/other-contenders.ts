import {
  isConnectionError,
  type NodeEvent,
  type NodeListener,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';

/**
 * Whether a lock directory has other nodes than those of one grant.
 *
 *     unknown ◄──► absent        unknown, absent ──► present
 *
 * Only a list can tell that others are absent. It sets the watch that tells of the next one to come, so
 * that what it has told stays true until then, or until the connection is lost. Behind each gap the
 * directory is listed again. Once others were present, they are for good: the grant has to end.
 */
export class OtherContenders implements NodeListener {
  #lists = 0;
  #arePresent = false;
  /** Whether they were absent from the latest list. */
  #wereAbsent = false;
  /** The connection on which its own node was granted, or listed last. */
  #seenOn: number | undefined;

  /** @param connection changes with each loss of the connection */
  constructor(
    private readonly session: Pick<Session, 'connectedLease' | 'list' | 'watch' | 'unwatch'>,
    private readonly lease: SessionLease,
    private readonly directory: string,
    private readonly isOwn: (name: string) => boolean,
    private readonly connection: () => number,
    private readonly onPresent: () => void,
  ) {
    session.watch(directory, this);
    if (session.connectedLease === lease) this.#seenOn = connection();
    this.#list();
  }

  get arePresent(): boolean {
    return this.#arePresent;
  }

  get areAbsent(): boolean {
    return !this.#arePresent && this.#wereAbsent && this.isOwnCertain;
  }

  /** Whether there was no gap, in which its own node may have been deleted, since that was seen. */
  get isOwnCertain(): boolean {
    return this.session.connectedLease === this.lease && this.#seenOn === this.connection();
  }

  onNodeEvent(event: NodeEvent | 'gap'): void {
    if (event === 'gap') this.#list();
    else this.#see();
  }

  stop(): void {
    this.#lists++;
    this.session.unwatch(this.directory, this);
  }

  #list(): void {
    const { session, lease, directory, isOwn } = this;
    const list = ++this.#lists;
    const connection = this.connection();
    session.list(lease, directory, { watch: true }).then(
      (names) => {
        if (list !== this.#lists) return;
        // Its own node is missing where it was deleted, which it may not have heard of yet.
        if (names.length === 0 || !names.every(isOwn)) return this.#see();
        this.#wereAbsent = true;
        this.#seenOn = connection;
      },
      (error: unknown) => {
        if (list === this.#lists && !isConnectionError(error)) this.#see();
      },
    );
  }

  #see(): void {
    if (this.#arePresent) return;
    this.#arePresent = true;
    this.onPresent();
  }
}
