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
import type { FailFast } from './fail-fast.js';
import type { OwnNode } from './own-node.js';

/** A contender's node before it is created. */
export interface NewLockNode {
  readonly directory: string;
  /** The data of the directory, if this call creates it. */
  readonly directoryData?: string;
  /**
   * Identifies the contender to people who inspect the queue. A string, which needs a quarter of a
   * buffer's memory.
   */
  readonly data: string;
  /**
   * Whether its node serves several grants, whose tokens share one czxid. No other node of its
   * directory may then have that czxid.
   */
  readonly isShared?: boolean | undefined;
  /** The name up to the sequence number, with a GUID that is new for each attempt. */
  readonly prefix: (guid: string) => string;
  /** The surrounding locks of the call; receives the path of the node. */
  readonly nesting?: Nesting | undefined;
  /** Called before the directory is created; throws if it must not be. */
  readonly checkDirectory?: (lease: SessionLease) => Promise<void>;
}

/**
 * Creates a contender's ephemeral sequential znode, exactly one: see {@link createForCertain}.
 *
 * @param wait no further attempt is made when it is over
 * @param onSent see {@link NewNode}
 * @param rank see {@link fencingToken}: required if its creation may share a transaction
 * @throws as {@link createForCertain}
 * @throws {LockDirectoryError} when the directory's sequence counter has reached its end; the node
 * is removed
 */
export function createLockNode(
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
    directory,
    mode: 'ephemeral-sequential',
    rank,
    onSent,
    data: withRank(asked.data, rank),
    newName: () => (prefix = asked.prefix(randomUUID())),
    makeDirectory: async () => {
      await asked.checkDirectory?.(lease);
      await directories.create(lease, directory, undefined, directoryData);
    },
  };
  return createNode(context, lease, node, wait).then((created) => {
    const { path } = created;
    if (nesting) nesting.node = path;
    const sequence = Number(nameOf(path).slice(prefix.length));
    if (!isInOrder(sequence)) {
      void remover.remove(lease, path);
      throw counterUsedUp(directory);
    }
    if (isNearEnd(sequence)) directories.warnOfCounter(directory, sequence);
    return created;
  });
}

/**
 * A contender's znode, with the children of its directory as they were right after its creation.
 */
export interface ListedNode extends Created {
  /** Undefined if the list's answer was lost. */
  readonly names: string[] | undefined;
}

/** Like {@link createLockNode}, with a list in the same round trip. */
export async function createListedNode(
  context: QueueContext,
  lease: SessionLease,
  asked: NewLockNode,
  wait: Wait,
): Promise<ListedNode> {
  let listing: Promise<string[] | undefined> | undefined;
  const created = await createLockNode(context, lease, asked, wait, () => {
    listing = context.directories.list(lease, asked.directory).catch(() => undefined);
  });
  return { ...created, names: await listing };
}

/** What all contenders of one process share. */
export interface QueueContext {
  readonly session: Session;
  readonly directories: Directories;
  readonly remover: NodeRemover;
  readonly dialect: Dialect;
  readonly userPaths: UserPaths;
  /** Identifies the contenders to people who inspect the queue. */
  readonly application: string | undefined;
  /** Includes the chroot. */
  readonly root: string;
  readonly sessionTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** What ends calls: the end of the service, and a long time without a connection. */
  readonly activeLocks: { readonly closing: AbortSignal; readonly failFast: FailFast | undefined };
}

/** A queue, with the mode and dialect in which a call stands in it. */
export interface QueueView {
  readonly directory: string;
  readonly dialect: Dialect;
  readonly mode: LockMode;
}

/** Whether a newcomer would have to wait, found by reads that leave no trace. */
export type IsTaken = (
  context: QueueContext,
  view: QueueView,
  lease: SessionLease,
  wait: Wait,
) => Promise<boolean>;

/** The node by which a call queues. */
export interface Recipe extends NewLockNode, QueueView {
  readonly key: string;
  /** The check of a single try before it writes: if it is true, the try leaves no trace. */
  readonly isTaken: IsTaken;
}

/**
 * Turns a node, whose turn has come, into the result of its call, and takes over the node with its
 * watch. Returns undefined if the node turns out to be gone.
 */
export type Claim<T> = (
  own: OwnNode,
  recipe: Recipe,
  context: QueueContext,
) => Promise<T | undefined>;
