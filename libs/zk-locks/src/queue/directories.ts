import {
  ensureNode,
  hasReturnCode,
  isConnectionError,
  isWithin,
  parentOf,
  ReturnCode,
  type Session,
  type SessionLease,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { shellWord } from '../shell-word.js';
import { counterNearEnd, counterUsedUp, isInOrder, isNearEnd } from './dialect.js';

/** A parent may vanish while its child is created; a server where it always does is not asked for ever. */
const ATTEMPTS = 8;

/**
 * Makes the directories of locks, and where nodes are restricted looks after those that it finds.
 *
 * A directory whose ACL was never replaced may be open: left behind by a process that ended
 * between its creation and its ACL, or made by another library. Within a root that is closed to
 * others only our user makes directories, and they are restricted on sight. In an open root that
 * might shut other clients out, so it is logged, once.
 */
export class Directories {
  /** Those whose creation or ACL is not yet answered for: this process may have left them open. */
  readonly #owed = new Set<string>();
  readonly #underway = new Set<string>();
  /** Those that are being created: many calls may find one missing together. */
  readonly #creations = new Map<string, { readonly lease: SessionLease; done: Promise<void> }>();
  #hasWarned = false;
  /** Those whose counter was warned of. */
  readonly #nearEnd = new Set<string>();

  /**
   * @param root with the chroot
   * @param chroot directories down to this one are created to stay; those below vanish when empty
   */
  constructor(
    private readonly session: Session,
    private readonly logger: ZkLockLogger,
    private readonly root: string,
    private readonly chroot: string,
  ) {}

  /**
   * Creates a directory and its parents, again where one is missing: an empty container may vanish
   * at any time.
   *
   * @param chroot directories down to this one are created to stay
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
    const creation = { lease, done: this.#create(lease, directory, chroot, data) };
    this.#creations.set(directory, creation);
    creation.done = creation.done.finally(() => {
      if (this.#creations.get(directory) === creation) this.#creations.delete(directory);
    });
    return creation.done;
  }

  async #create(
    lease: SessionLease,
    directory: string,
    chroot: string,
    data: string,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#createBranch(lease, directory, chroot, data);
        return;
      } catch (error) {
        if (!hasReturnCode(error, ReturnCode.noNode) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Looks after a directory, and those above it up to the root, where nodes are restricted. Goes on
   * beside the requests of an acquire, which need not wait for it.
   */
  check(lease: SessionLease, directory: string): void {
    if (!this.session.restrictsNodes || this.#underway.has(directory)) return;
    this.#underway.add(directory);
    void this.#check(lease, directory);
  }

  /**
   * Warns once of a directory whose sequence counter comes near its end.
   *
   * @param sequence the number of a new node
   * @throws {LockDirectoryError} when the counter has reached its end
   */
  checkCounter(directory: string, sequence: number): void {
    if (!isInOrder(sequence)) throw counterUsedUp(directory);
    if (!isNearEnd(sequence) || this.#nearEnd.has(directory)) return;
    this.#nearEnd.add(directory);
    this.logger.warn(counterNearEnd(directory, sequence));
  }

  /** Never rejects. */
  async #check(lease: SessionLease, directory: string): Promise<void> {
    try {
      const paths = this.#upToRoot(directory);
      const versions = await Promise.all(paths.map((path) => this.#aclVersion(lease, path)));
      const { root } = this;
      let isClosed = this.#isRootClosed(versions[0]);
      if (!isClosed && this.#owed.has(root)) isClosed = await this.#restrict(lease, root);
      if (!isClosed) this.#warn();
      for (const path of paths.filter((_, index) => index > 0 && versions[index] === 0)) {
        if (isClosed || this.#owed.has(path)) await this.#restrict(lease, path);
      }
    } finally {
      this.#underway.delete(directory);
    }
  }

  #isRootClosed(aclVersion: number | undefined): boolean {
    const { isRootOpen } = this.session;
    // It was not there when we connected: then who has made it since has given it an ACL.
    return isRootOpen === undefined ? aclVersion !== 0 : !isRootOpen;
  }

  async #restrict(lease: SessionLease, path: string): Promise<boolean> {
    try {
      await this.session.restrict(lease, path);
      this.#owed.delete(path);
      return true;
    } catch {
      return false;
    }
  }

  #warn(): void {
    const { session, root, logger } = this;
    if (this.#hasWarned || !session.isRootOpen) return;
    this.#hasWarned = true;
    logger.warn(
      `${root} is open to every client of this ZooKeeper: it was there before, and keeps its ACL. When all processes have the same \`credentials\`, restrict it in zkCli.sh (addauth digest user:password, then setAcl -R ${shellWord(root)} auth::cdrwa), or accept it by \`acl: 'open'\`.`,
    );
  }

  /** The topmost first. */
  #upToRoot(path: string): string[] {
    if (!path.startsWith(`${this.root}/`)) return [path];
    return [...this.#upToRoot(parentOf(path)), path];
  }

  /** Undefined where it is gone, or is not shown. */
  async #aclVersion(lease: SessionLease, path: string): Promise<number | undefined> {
    try {
      return (await this.session.get(lease, path)).stat.aclVersion;
    } catch {
      return undefined;
    }
  }

  async #createBranch(
    lease: SessionLease,
    directory: string,
    chroot: string,
    data = '',
  ): Promise<void> {
    const isPermanent = isWithin(chroot, directory);
    const mode = isPermanent ? 'persistent' : 'container';
    try {
      await this.#createOne(lease, directory, mode, data);
    } catch (error) {
      const parent = parentOf(directory);
      if (!hasReturnCode(error, ReturnCode.noNode) || parent === '/') throw error;
      await this.#createBranch(lease, parent, chroot);
      await this.#createOne(lease, directory, mode, data);
    }
  }

  /** A mistyped chroot makes a second world of locks, in which nothing excludes the first. */
  #tellOfChroot(): void {
    const { servers } = this.session.snapshot;
    this.logger.log(
      `Created the chroot ${this.chroot} of ${servers}, which did not exist. Check that it is not mistyped: locks below another chroot are other locks.`,
    );
  }

  async #createOne(
    lease: SessionLease,
    path: string,
    mode: 'persistent' | 'container',
    data: string,
  ): Promise<void> {
    const { session } = this;
    this.#owed.add(path);
    try {
      const isNew = await ensureNode(session, lease, path, Buffer.from(data), mode);
      this.#owed.delete(path);
      if (isNew && path === this.chroot) this.#tellOfChroot();
    } catch (error) {
      if (!isConnectionError(error)) this.#owed.delete(path);
      // Servers before 3.5 have no containers.
      if (mode === 'persistent' || !hasReturnCode(error, ReturnCode.unimplemented)) throw error;
      await this.#createOne(lease, path, 'persistent', data);
    }
  }
}
