import { isUtf8 } from 'node:buffer';
import { cleanText, type NodeContent } from 'zk-client/recipes';
import { type Contender, contenderOf, contendersOf, holdersOf } from '../inspection/inspection.js';
import type { Deadlock } from '../lock/deadlock.js';
import type { LastRun } from '../lock/last-run.js';
import type { LockKind } from '../lock/lock-kind.js';
import { keyOf } from '../lock/key-path.js';
import type { DialectName, QueueNode } from '../nodes/dialect.js';
import { heldCount } from '../semaphore/semaphore-inspection.js';

/** A key with all its holders and waiters, in all processes. */
export interface TreeKey {
  readonly key: string;
  /** The path of its directory, with the chroot. */
  readonly path: string;
  readonly kind: 'lock' | 'semaphore' | 'single-node';
  /** One writer, or readers, or one entry for each permit that is taken. */
  readonly holders: readonly TreeContender[];
  /** The next one first; at most {@link MOST_READ}. */
  readonly waiters: readonly TreeContender[];
  /** The number of holders and waiters, including those not listed. */
  readonly total: number;
  /** The number of waiters, including those not listed. */
  readonly waiting: number;
  /** The highest sequence number of its nodes; undefined if they have none. */
  readonly lastSequence: number | undefined;
  /** The number of permits; undefined if its nodes do not tell it, as with a shared count. */
  readonly permits: number | undefined;
  /** The dialects of a lock's node names: more than one if programs use different ones. */
  readonly dialects: readonly DialectName[];
  /**
   * Children of a lock's directory, or of a semaphore's queue, that are not lock nodes; only the first
   * {@link MOST_STRANGERS}.
   */
  readonly strangers: readonly string[];
  /** The number of such children. */
  readonly strangerCount: number;
  /** Whether an ACL hides its holders and waiters. */
  readonly isHidden: boolean;
  /** The number of nodes that were not read because there are too many. */
  readonly unread: number;
  /** The latest run of its job by `runAtMostEvery`. */
  readonly lastRun: LastRun | undefined;
}

export interface TreeContender extends Omit<Contender, 'mode'> {
  readonly mode: LockKind;
  /**
   * In hexadecimal, without `0x`; undefined for a node that no session owns. Treat it as a secret:
   * with it, a client can end the session.
   */
  readonly session: string | undefined;
  /** For other libraries: the data of their node, as one line of at most 200 characters. */
  readonly text: string | undefined;
  /**
   * When it got the lock, by the clock of ZooKeeper. Absent for a waiter, and for a holder that got the
   * lock before the first look.
   */
  readonly heldSince?: Date;
}

/** All keys at one moment, from the viewpoint of a tool's configuration. */
export interface TreeSight {
  readonly keys: ReadonlyMap<string, TreeKey>;
  /** At most ten. */
  readonly deadlocks: readonly Deadlock[];
  /** Whether there may be more deadlocks, because not all waiters were examined. */
  readonly areDeadlocksCut: boolean;
  /** Whether there are more keys than were read. */
  readonly areKeysCut: boolean;
  /** The configured dialect. */
  readonly dialect: DialectName;
}

/** Whether the key is that of an election, according to its first node. */
export function isElection({ holders, waiters }: TreeKey): boolean {
  return (holders[0] ?? waiters[0])?.holder?.election === true;
}

/** The maximum number of contenders of a key that are read, in queue order. */
export const MOST_READ = 5_000;

export const MOST_STRANGERS = 100;

const LONGEST_NAME = 200;
const LONGEST_TEXT = 200;

/** What is known about a directory that contains contenders. */
export interface Folder {
  readonly nodes: readonly QueueNode[];
  readonly dialects: readonly DialectName[];
  readonly strangers: readonly string[];
  readonly strangerCount: number;
  /** The nodes that were read, by name. */
  readonly contenders: ReadonlyMap<string, KeptNode>;
  /** Nodes that were read but are not kept, for lack of room. */
  readonly unkept: ReadonlySet<string>;
  /** The memory that it takes. */
  readonly bytes: number;
}

/** What is kept of a node: the meaning of its data rather than the data. */
export interface KeptNode {
  readonly contender: TreeContender;
  /** The length of the data. */
  readonly bytes: number;
}

/** What is below a key's directory. */
export type KeyContent =
  | { readonly kind: 'hidden' }
  /** There is no room to keep what is there. */
  | { readonly kind: 'unread'; readonly nodes: number }
  | { readonly kind: 'lock'; readonly queue: Folder }
  | {
      readonly kind: 'semaphore';
      readonly queue: Folder;
      readonly leases: Folder;
      readonly permits: number | undefined;
    };

const NOTHING = {
  kind: 'lock',
  holders: [],
  waiters: [],
  total: 0,
  waiting: 0,
  lastSequence: undefined,
  permits: undefined,
  dialects: [],
  strangers: [],
  strangerCount: 0,
  isHidden: false,
  unread: 0,
  lastRun: undefined,
} as const satisfies Omit<TreeKey, 'key' | 'path'>;

/** @param content undefined if there is no directory */
export function describeKey(
  { segment, path }: { readonly segment: string; readonly path: string },
  content: KeyContent | undefined,
  lastRun?: LastRun,
): TreeKey {
  const known = { ...NOTHING, key: keyOf(segment), path, lastRun };
  if (!content) return known;
  switch (content.kind) {
    case 'hidden':
      return { ...known, isHidden: true };
    case 'unread':
      return { ...known, unread: content.nodes };
    case 'lock':
      return { ...known, ...lock(content.queue) };
    case 'semaphore':
      return { ...known, ...semaphore(content) };
  }
}

function lock(folder: Folder): Partial<TreeKey> {
  const { nodes, dialects, strangers, strangerCount } = folder;
  const contenders = contendersOf(nodes);
  const holding = holdersOf(contenders);
  const isSingle = dialects.includes('single-node');
  const last = isSingle ? undefined : contenders.at(-1)?.sequence;
  return {
    kind: isSingle ? 'single-node' : 'lock',
    holders: describe(holding, folder),
    waiters: describe(contenders.slice(holding.length), folder),
    total: contenders.length,
    waiting: contenders.length - holding.length,
    lastSequence: last,
    ...{ dialects, strangers, strangerCount },
    unread: unreadIn(folder),
  };
}

function semaphore({
  queue,
  leases,
  permits,
}: Extract<KeyContent, { kind: 'semaphore' }>): Partial<TreeKey> {
  const { nodes } = queue;
  const waiters = describe(nodes, queue);
  const [head] = waiters;
  const wanted = head && (head.holder?.permits ?? 1);
  const all = describe(leases.nodes, leases);
  const held =
    permits === undefined
      ? leases.nodes.length - claimedBy(head, all).length
      : heldCount(leases.nodes.length, permits, wanted);
  const last = Math.max(nodes.at(-1)?.sequence ?? -1, leases.nodes.at(-1)?.sequence ?? -1);
  return {
    kind: 'semaphore',
    holders: all.slice(0, held),
    waiters,
    total: held + nodes.length,
    waiting: nodes.length,
    lastSequence: last < 0 ? undefined : last,
    permits,
    strangers: queue.strangers,
    strangerCount: queue.strangerCount,
    unread: unreadIn(queue) + unreadIn(leases),
  };
}

/**
 * The leases of the call at the head of the queue, which are not held yet. They are the latest ones, which
 * identifies them if no node says how many permits there are.
 */
function claimedBy(
  head: TreeContender | undefined,
  leases: readonly TreeContender[],
): readonly TreeContender[] {
  if (head?.session === undefined) return [];
  const latest = leases.slice(-(head.holder?.permits ?? 1));
  return latest.filter(
    ({ session, fencingToken }) => session === head.session && fencingToken > head.fencingToken,
  );
}

const unreadIn = ({ nodes, contenders }: Folder): number => nodes.length - contenders.size;

function describe(nodes: readonly QueueNode[], { contenders }: Folder): TreeContender[] {
  return nodes.flatMap(({ name }) => contenders.get(name)?.contender ?? []);
}

export function describeNode(
  node: QueueNode,
  content: NodeContent,
  mode?: 'permit',
): TreeContender {
  const contender = contenderOf(node, content);
  const { ephemeralOwner } = content.stat;
  return {
    ...contender,
    // Strangers may give any name to a lease, and a history retains it.
    node: beginningOf(contender.node),
    mode: mode ?? contender.mode,
    session: contender.isEphemeral ? ephemeralOwner : undefined,
    text: contender.holder ? undefined : textOf(content),
  };
}

/** Copied, because a name may be a megabyte long and a substring would retain all of it. */
export const beginningOf = (name: string): string =>
  name.length > LONGEST_NAME ? `${Buffer.from(name.slice(0, LONGEST_NAME)).toString()}…` : name;

function textOf({ data, stat: { dataLength } }: NodeContent): string | undefined {
  if (data.length < dataLength) return `${dataLength} bytes`;
  const start = data.subarray(0, 4 * LONGEST_TEXT);
  const isText = data.length > 0 && (start.length < data.length || isUtf8(data));
  return isText ? cleanText(start.toString()).slice(0, LONGEST_TEXT) : undefined;
}
