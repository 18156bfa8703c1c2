import {
  join,
  type NodeContent,
  readShort,
  type Session,
  type SessionLease,
  withJson,
} from 'zk-client/recipes';
import { isEphemeral, parseHolderData } from '../nodes/holder-data.js';
import type { HolderData } from '../lock/holder.js';
import type { Deadlock } from '../lock/deadlock.js';
import type { LockHolder } from '../lock/lock-errors.js';
import type { QueueContext } from '../queue/lock-node.js';
import { type QueueNode } from '../nodes/dialect.js';
import { fencingToken } from '../nodes/fencing-token.js';
import type { InspectOptions, LockMode } from '../lock/lock.js';
import { DeadlockFinder } from './deadlocks.js';

/** A holder of a lock, or a waiter for it, in any process. */
export interface Contender {
  readonly mode: LockMode;
  /** The name of its znode in the lock's directory. */
  readonly node: string;
  /**
   * False for a znode that no session owns: it was created by hand, and stays until it is deleted.
   */
  readonly isEphemeral: boolean;
  /**
   * The fencing token that the contender has, or will have when it holds the lock. For a cohort
   * (`holder.cohort`), the token of the first grant; up to 1,023 later grants under the same node
   * have higher tokens. With `holder.token`, it is read from the node's data, which any client with
   * write access can copy.
   */
  readonly fencingToken: bigint;
  /** When ZooKeeper created its znode, by the server's clock. */
  readonly queuedAt: Date;
  /** What its znode says about its process; undefined for other libraries. */
  readonly holder: HolderData | undefined;
}

/** A call of this process that holds a lock through its cohort. */
export interface CohortMember {
  readonly mode: LockMode;
  /** The call's `label`. */
  readonly label: string | undefined;
  readonly fencingToken: bigint;
  /** When it got the lock, by the clock of this process. */
  readonly since: Date;
}

/** The calls of this process. Other processes see one znode for all of them. */
export interface CohortSight<Member = CohortMember> {
  readonly members: readonly Member[];
  /** The number of calls that wait in this process. */
  readonly waiting: number;
}

/** A lock as it was at one instant. */
export interface LockInspection {
  readonly key: string;
  /** One writer, or one or more readers; empty if the lock is free. */
  readonly holders: readonly Contender[];
  /** The waiters, the next one first. */
  readonly waiters: readonly Contender[];
  /** The number of holders and waiters, including those omitted because of `limit`. */
  readonly total: number;
  /**
   * The highest sequence number in the lock's directory. Absent if the directory has no lock nodes,
   * and with the dialect `single-node`. At 2147483647, all calls for the key are refused: see
   * "Draining a directory" in docs/operating.md.
   */
  readonly lastSequence?: number;
  /**
   * With the option `cohort`: the calls of this process that hold the lock or wait for it. Absent
   * if there are no such calls; without members if the lock is kept.
   */
  readonly cohort?: CohortSight;
  /** The circles of waiting calls that include these waiters; absent if no circle was found. */
  readonly deadlocks?: readonly Deadlock[];
}

/** Shows this process's own calls for the lock of a directory. */
export type SightOf = (directory: string) => CohortSight | undefined;

/** @throws {ZooKeeperError} */
export async function inspectLock(
  context: QueueContext,
  lease: SessionLease,
  key: string,
  directory: string,
  { linearizable = false, limit = 100 }: InspectOptions,
  sightOf?: SightOf,
): Promise<LockInspection> {
  const { session, directories, dialect } = context;
  if (linearizable) await session.sync(lease, directory);
  const queue = contendersOf(await directories.queueIn(lease, directory, dialect));
  const found = await readContenders(session, lease, directory, queue.slice(0, limit));
  const holding = new Set(holdersOf(queue).map(({ name }) => name));
  const waiters = found.filter(({ node }) => !holding.has(node));
  const isNested = waiters.some(({ holder }) => holder?.holds);
  const deadlocks = isNested ? await new DeadlockFinder(context).ofDirectory(lease, directory) : [];
  const cohort = sightOf?.(directory);
  return {
    key,
    holders: found.filter(({ node }) => holding.has(node)),
    waiters,
    total: queue.length,
    ...(dialect.name !== 'single-node' && lastOf(queue)),
    ...(cohort && { cohort }),
    ...(deadlocks.length > 0 && { deadlocks }),
  };
}

function lastOf(queue: readonly QueueNode[]): Pick<LockInspection, 'lastSequence'> {
  const last = queue.at(-1);
  return last ? { lastSequence: last.sequence } : {};
}

/**
 * The contenders of a sorted queue. A writer that also reads, to downgrade or because it has
 * upgraded, has two nodes with the same number.
 */
export function contendersOf(queue: readonly QueueNode[]): readonly QueueNode[] {
  return queue.filter(({ sequence, mode }, index) => {
    const before = queue[index - 1];
    return mode === 'write' || before?.mode !== 'write' || before.sequence !== sequence;
  });
}

/** The nodes of a sorted queue that wait for no earlier node: one writer, or readers. */
export function holdersOf(queue: readonly QueueNode[]): readonly QueueNode[] {
  const firstWriter = queue.findIndex(({ mode }) => mode === 'write');
  return firstWriter === -1 ? queue : queue.slice(0, Math.max(firstWriter, 1));
}

/** Leaves out contenders that have left in the meantime, which neither hold nor wait. */
export async function readContenders(
  session: Session,
  lease: SessionLease,
  directory: string,
  nodes: readonly QueueNode[],
): Promise<readonly Contender[]> {
  const reading = nodes.map(async (node) => {
    const content = await readShort(session, lease, join(directory, node.name));
    return content && contenderOf(node, content);
  });
  return (await Promise.all(reading)).filter((contender) => contender !== undefined);
}

/** A holder in the form that errors use. */
export function asHolder({
  node,
  queuedAt: since,
  holder,
}: Omit<Contender, 'mode' | 'fencingToken'>): LockHolder {
  return { node, since, holder };
}

/**
 * The token of the first grant under a node. A node that replaced another one has it in its data.
 */
export function tokenOf(czxid: bigint, holder: HolderData | undefined): bigint {
  const token = holder?.token;
  return token === undefined ? fencingToken(czxid, holder?.rank) : BigInt(token);
}

export function contenderOf(
  { name, mode }: Pick<QueueNode, 'name' | 'mode'>,
  { data, stat }: NodeContent,
): Contender {
  const holder = parseHolderData(data);
  return withJson({
    mode,
    node: name,
    isEphemeral: isEphemeral(stat),
    fencingToken: tokenOf(stat.czxid, holder),
    queuedAt: stat.ctime,
    holder,
  });
}
