import { randomUUID } from 'node:crypto';
import {
  type Created,
  createNode,
  nameOf,
  type NewNode,
  type NodeRemover,
  type Session,
  type SessionLease,
  type UserPaths,
  type Wait,
} from 'zk-client/recipes';
import { type Nesting, withRank } from '../nodes/holder-data.js';
import { counterUsedUp, type Dialect, isInOrder, isNearEnd } from '../nodes/dialect.js';
import type { LockMode } from '../lock/lock.js';
import type { Directories } from './directories.js';
import type { DirectoryLists } from './directory-lists.js';
import type { FailFast } from './fail-fast.js';
import type { OwnNode } from './own-node.js';

/** The node of a contender, before it is created. */
export interface NewLockNode {
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
  readonly checkDirectory?: (lease: SessionLease) => Promise<void>;
}

/**
 * Creates a contender's ephemeral sequential znode, exactly one: see {@link createForCertain}.
 *
 * @param wait no further attempt is made when it is over
 * @param onSent see {@link NewNode}
 * @param rank see {@link fencingToken}: only with one may its creation share a transaction
 * @throws as {@link createForCertain}
 * @throws {LockDirectoryError} when the directory's sequence counter has reached its end; the node is
 * removed
 */
export async function createLockNode(
  context: QueueContext,
  lease: SessionLease,
  asked: NewLockNode,
  wait: Wait,
  onSent?: () => void,
  rank?: number,
): Promise<Created> {
  const { directories, remover } = context;
  const { directory, directoryData, nesting } = asked;
  let prefix = '';
  const node: NewNode = {
    ...{ directory, mode: 'ephemeral-sequential', rank, onSent },
    data: withRank(asked.data, rank),
    newName: () => (prefix = asked.prefix(randomUUID())),
    makeDirectory: async () => {
      await asked.checkDirectory?.(lease);
      await directories.create(lease, directory, undefined, directoryData);
    },
  };
  const created = await createNode(context, lease, node, wait);
  const { path } = created;
  if (nesting) nesting.node = path;
  const sequence = Number(nameOf(path).slice(prefix.length));
  if (!isInOrder(sequence)) {
    void remover.remove(lease, path);
    throw counterUsedUp(directory);
  }
  if (isNearEnd(sequence)) directories.warnOfCounter(directory, sequence);
  return created;
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
  asked: NewLockNode,
  wait: Wait,
): Promise<ListedNode> {
  let listing: Promise<string[] | undefined> | undefined;
  const created = await createLockNode(context, lease, asked, wait, () => {
    listing = context.lists.list(lease, asked.directory).catch(() => undefined);
  });
  return { ...created, names: await listing };
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

/** A queue, and as which a call stands in it. */
export interface QueueView {
  readonly directory: string;
  readonly dialect: Dialect;
  readonly mode: LockMode;
}

/** Whether a newcomer would have to wait, by reads that leave no trace. */
export type IsTaken = (
  context: QueueContext,
  view: QueueView,
  lease: SessionLease,
  wait: Wait,
) => Promise<boolean>;

/** How a call gets what it wants by a node in a queue. */
export interface Recipe<T> extends NewLockNode, QueueView {
  /** What a single try reads before it writes: where this is true, it leaves no trace. */
  readonly isTaken: IsTaken;
  /**
   * Makes of the node, whose turn it is, what the call wants, and takes the node over with its watch.
   * Undefined where the node turns out to be gone.
   */
  claim(own: OwnNode): Promise<T | undefined>;
}
