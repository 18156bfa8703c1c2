import { randomUUID } from 'node:crypto';
import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import { isWithin, join, nameOf, parentOf } from '../client/node-path.js';
import type { Created } from '../client/zookeeper-client.js';
import type { SessionLease } from '../session/session-lease.js';
import { retryUntilAnswered, untilReconnected, ensureNode } from '../session/session-requests.js';
import { retryDelay, type Wait } from './wait.js';
import { hostname } from 'node:os';
import { encodeHolder, type HolderData, type NodeUse, withRank } from './holder-data.js';
import type { UserPaths } from '../options/transaction-options.js';
import type { Session } from '../session/session.js';
import { type Dialect, counterNearEnd, counterUsedUp, isInOrder, isNearEnd } from './dialect.js';
import type { DirectoryLists } from './directory-lists.js';
import type { FailFast } from './fail-fast.js';
import type { NodeRemover } from './node-remover.js';
import type { ZkLockLogger } from '../logger.js';
import { shellWord } from '../shell-word.js';
import type { Nesting } from './nesting.js';

export interface NodePlace {
  readonly directory: string;
  /** Of the directory, where this call creates it. */
  readonly directoryData?: string;
  /** For people who look at the queue: who is it? As text, which takes a quarter of a buffer's memory. */
  readonly data: string;
  /** Its node serves several grants, with tokens of one czxid: no other node of its directory has that. */
  readonly isShared?: boolean | undefined;
  /** The name up to the sequence number, around a GUID that is new for each attempt. */
  readonly prefix: (guid: string) => string;
  /** Where the call is inside of locks; is told the path of the node. */
  readonly nesting?: Nesting | undefined;
  /** Asked before the directory is created; throws where it must not be. */
  readonly checkGround?: (lease: SessionLease) => Promise<void>;
}

/**
 * Creates a contender's ephemeral sequential znode, exactly one, also when the answer is lost: the
 * GUID in its name tells it from all others (Curator's "protected mode", ZOOKEEPER-22).
 *
 * @param wait no further attempt is made when it is over
 * @param onSent called whenever its creation was sent: what is sent then is answered behind it
 * @param rank see {@link fencingToken}: only with one may its creation share a transaction
 * @throws the error of `wait` once that is over
 * @throws {SessionOverError} when the session ends first; the node is gone with it
 * @throws {LockDirectoryError} when the directory's sequence counter has reached its end; the node is
 * removed
 * @throws {ZooKeeperError} the server's own refusal
 */
export async function createLockNode(
  context: QueueContext,
  lease: SessionLease,
  place: NodePlace,
  wait: Wait,
  onSent?: () => void,
  rank?: number,
): Promise<Created> {
  const { session, directories, remover } = context;
  const { directory } = place;
  const data = withRank(place.data, rank);
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await retryDelay(attempt, wait);
    const name = place.prefix(randomUUID());
    const wanted = join(directory, name);
    remover.nodes.reserve(lease, wanted);
    try {
      const creating = session.create(lease, wanted, Buffer.from(data), 'ephemeral-sequential', {
        rank,
        onSent,
      });
      directories.check(lease, directory);
      const created = await creating;
      remover.nodes.add(lease, created.path);
      checkNumber(context, lease, place, created.path, name);
      return created;
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) {
        await retryUntilAnswered(session, lease, async () => {
          await place.checkGround?.(lease);
          await directories.create(lease, directory, undefined, place.directoryData);
        });
      } else if (isConnectionError(error)) {
        const found = await findUnanswered(context, lease, { ...place, data }, name);
        if (found) return found;
      } else {
        throw error;
      }
    } finally {
      remover.nodes.remove(lease, wanted);
    }
  }
}

/** A contender's znode, and the children of its directory as they were just after it was created. */
export interface ListedNode extends Created {
  /** Undefined where the list's answer was lost. */
  readonly names: string[] | undefined;
}

/** As {@link createLockNode}, with a list in the same round trip. */
export async function createListedNode(
  context: QueueContext,
  lease: SessionLease,
  place: NodePlace,
  wait: Wait,
): Promise<ListedNode> {
  let listing: Promise<string[] | undefined> | undefined;
  const created = await createLockNode(context, lease, place, wait, () => {
    listing = context.lists.list(lease, place.directory).catch(() => undefined);
  });
  return { ...created, names: await listing };
}

/** @throws {LockDirectoryError} when the own node has no place in the order; it is removed */
function checkNumber(
  { directories, remover }: QueueContext,
  lease: SessionLease,
  { directory, nesting }: NodePlace,
  path: string,
  prefix: string,
): void {
  if (nesting) nesting.node = path;
  try {
    directories.checkCounter(directory, Number(nameOf(path).slice(prefix.length)));
  } catch (error) {
    void remover.remove(lease, path);
    throw error;
  }
}

/**
 * The node whose creation got no answer, as it was wanted; undefined if it does not exist. `sync` waits
 * for what a lost connection had sent, as far as it is on its way.
 */
async function findUnanswered(
  context: QueueContext,
  lease: SessionLease,
  place: NodePlace,
  prefix: string,
): Promise<Created | undefined> {
  const { directory, data } = place;
  const { session, lists, remover } = context;
  await untilReconnected(session, lease);
  const names = await retryUntilAnswered(session, lease, async () => {
    await session.sync(lease, directory);
    return lists.list(lease, directory);
  });
  const name = names.find((candidate) => candidate.startsWith(prefix));
  if (name === undefined) {
    remover.expectLate(lease, directory, prefix);
    return undefined;
  }
  const path = join(directory, name);
  remover.nodes.add(lease, path);
  checkNumber(context, lease, place, path, prefix);
  try {
    await retryUntilAnswered(session, lease, () =>
      session.complete(lease, path, Buffer.from(data)),
    );
    return { path, czxid: undefined };
  } catch (error) {
    void remover.remove(lease, path);
    if (hasReturnCode(error, ReturnCode.noNode)) return undefined;
    throw error;
  }
}

/** Asked for once: it takes a system call, and each contender names it. */
let host: string | undefined;

/** A contender of this process. */
export function ownHolder(
  application: string | undefined,
  label: string | undefined,
  use?: NodeUse,
  since = new Date(),
): HolderData {
  host ??= hostname();
  return { host, pid: process.pid, application, label, ...use, since: since.toISOString() };
}

/** What the node of a contender says that asks now: {@link ownHolder}. */
export function ownHolderData(...about: Parameters<typeof ownHolder>): string {
  return encodeHolder(ownHolder(...about));
}

/** What all contenders of one process share. */
export interface QueueContext {
  readonly session: Session;
  readonly lists: DirectoryLists;
  readonly directories: Directories;
  readonly remover: NodeRemover;
  readonly dialect: Dialect;
  readonly userPaths: UserPaths;
  /** Who they are, for people who look at the queue. */
  readonly application: string | undefined;
  /** With the chroot. */
  readonly root: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Where calls are refused while there is no connection. */
  readonly failFast?: FailFast | undefined;
}

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
  async create(
    lease: SessionLease,
    directory: string,
    chroot: string = this.chroot,
    data = '',
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
