import { randomUUID } from 'node:crypto';
import {
  type Created,
  hasReturnCode,
  isConnectionError,
  join,
  nameOf,
  type NodeRemover,
  retryDelay,
  retryUntilAnswered,
  ReturnCode,
  type Session,
  type SessionLease,
  untilReconnected,
  type UserPaths,
  type Wait,
} from 'zk-client/recipes';
import { hostname } from 'node:os';
import { encodeHolder, type HolderData, type NodeUse, withRank } from './holder-data.js';
import type { Dialect } from './dialect.js';
import type { Directories } from './directories.js';
import type { DirectoryLists } from './directory-lists.js';
import type { FailFast } from './fail-fast.js';
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
 * @param onSent called whenever its creation was sent, or has been found executed: what is sent then is
 * answered behind it
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
      const created = await session.create(
        lease,
        wanted,
        Buffer.from(data),
        'ephemeral-sequential',
        { rank, onSent },
      );
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
        const found = await findUnanswered(context, lease, place, name);
        if (found) {
          // What was asked since may have been answered by a server that did not know of it yet.
          onSent?.();
          return found;
        }
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
  const { directory } = place;
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
  return { path, czxid: undefined };
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
