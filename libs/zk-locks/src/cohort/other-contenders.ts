import {
  isConnectionError,
  type NodeEvent,
  type NodeListener,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';

/**
 * Whether a lock directory contains nodes other than those of one grant.
 *
 *     unknown ◄──► absent        unknown, absent ──► present
 *
 * Only a list can show that others are absent. It also sets the watch that reports the next
 * arrival, so its result remains true until that event, or until the connection is lost. After each
 * gap, the directory is listed again. Once others have been seen, that is final: the grant has to
 * end.
 */
export class OtherContenders implements NodeListener {
  #lists = 0;
  #arePresent = false;
  /** Whether the latest list showed no others. */
  #wereAbsent = false;
  /** The connection on which its own node was granted, or last listed. */
  #seenOn: number | undefined;

  /** @param connection a number that changes with each loss of the connection */
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

  /** Whether there has been no gap since then in which its own node may have been deleted. */
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
        // If its own node is missing, it was deleted, and the event may not have arrived yet.
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
