import {
  askOrMake,
  ensureNode,
  isWithin,
  orIfGone,
  parentOf,
  type Session,
  type SessionLease,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { counterNearEnd, type Dialect, type QueueNode } from '../nodes/dialect.js';
import { findInSlices, inSlices } from '../slices.js';

interface Listing {
  readonly lease: SessionLease;
  readonly answered: Promise<unknown>;
  /**
   * For all callers that ask while this list is on its way, because it may have been sent too early
   * for them.
   */
  next?: Promise<string[]>;
}

/** Creates and lists the directories of locks. */
export class Directories {
  /** The directories that are being created: many calls may find the same one missing. */
  readonly #creations = new Map<string, { readonly lease: SessionLease; done: Promise<void> }>();
  /** The lists that are on their way. */
  readonly #listings = new Map<string, Listing>();
  /** The directories whose counter has been warned about. */
  readonly #nearEnd = new Set<string>();

  /**
   * @param chroot directories down to this one are permanent; those below are removed when empty
   */
  constructor(
    private readonly session: Session,
    private readonly logger: ZkLockLogger,
    private readonly chroot: string,
  ) {}

  /**
   * Creates a directory and its parents, and retries if one of them has vanished: ZooKeeper can
   * remove an empty container at any time.
   *
   * @param chroot directories down to this one are permanent
   * @param data of the directory, not of its parents
   */
  create(
    lease: SessionLease,
    directory: string,
    chroot: string = this.chroot,
    data = '',
  ): Promise<void> {
    const underway = this.#creations.get(directory);
    if (underway?.lease === lease) return underway.done;
    const creation = { lease, done: this.#createBranch(lease, directory, chroot, data) };
    this.#creations.set(directory, creation);
    creation.done = creation.done.finally(() => {
      if (this.#creations.get(directory) === creation) this.#creations.delete(directory);
    });
    return creation.done;
  }

  /**
   * Returns the children as they are at some instant after this call; empty if there is no
   * directory. Each directory is listed at most once at a time: when many contenders of this process
   * examine one queue together, all except the first share one list. Otherwise, a long queue would
   * be sent to each of them.
   */
  list(lease: SessionLease, directory: string): Promise<string[]> {
    const underway = this.#listings.get(directory);
    if (underway?.lease !== lease) return this.#sendList(lease, directory);
    underway.next ??= underway.answered.then(() => this.#sendList(lease, directory));
    return underway.next;
  }

  /**
   * Returns the child whose name begins with `beginning`, from {@link list}, or undefined. After a lost
   * connection, a thousand calls may each search a long list for their own node.
   */
  async find(
    lease: SessionLease,
    directory: string,
    beginning: string,
  ): Promise<string | undefined> {
    const names = await this.list(lease, directory);
    return inSlices(findInSlices(names, (name) => name.startsWith(beginning)));
  }

  /**
   * Returns a queue in order, from {@link list}. A long one is read in several turns of the event
   * loop.
   *
   * @throws {LockDirectoryError}
   */
  async queueIn(lease: SessionLease, directory: string, dialect: Dialect): Promise<QueueNode[]> {
    const names = await this.list(lease, directory);
    return inSlices(dialect.parse(directory, names));
  }

  /**
   * Warns once about a directory whose sequence counter is close to its end.
   *
   * @param sequence the number of a new node
   */
  warnOfCounter(directory: string, sequence: number): void {
    if (this.#nearEnd.has(directory)) return;
    this.#nearEnd.add(directory);
    this.logger.warn(counterNearEnd(directory, sequence));
  }

  #createBranch(lease: SessionLease, directory: string, chroot: string, data = ''): Promise<void> {
    const mode = isWithin(chroot, directory) ? 'persistent' : 'container';
    const parent = parentOf(directory);
    const create = async (): Promise<void> => {
      const isNew = await ensureNode(this.session, lease, directory, Buffer.from(data), mode);
      if (isNew && directory === this.chroot) this.#tellOfChroot();
    };
    if (parent === '/') return create();
    return askOrMake(create, () => this.#createBranch(lease, parent, chroot));
  }

  /** A mistyped chroot would create a second set of locks, which does not exclude the first. */
  #tellOfChroot(): void {
    const { servers } = this.session.snapshot;
    this.logger.log(
      `Created the chroot ${this.chroot} of ${servers}, which did not exist. Check that it is spelled correctly: locks under different chroots do not exclude each other.`,
    );
  }

  #sendList(lease: SessionLease, directory: string): Promise<string[]> {
    const answer = orIfGone(this.session.list(lease, directory), []);
    const forget = (): void => {
      if (!listing.next && this.#listings.get(directory) === listing) {
        this.#listings.delete(directory);
      }
    };
    const listing: Listing = { lease, answered: answer.then(forget, forget) };
    this.#listings.set(directory, listing);
    return answer;
  }
}
