import type { SessionLease } from 'zk-client/recipes';
import { semaphorePathsOf } from '../lock/key-path.js';
import type { InspectOptions } from '../lock/lock.js';
import { type FoundHolders, MOST_HOLDERS } from '../inspection/holder-report.js';
import { asHolder, type Contender, readContenders } from '../inspection/inspection.js';
import type { QueueContext } from '../queue/lock-node.js';
import type { QueueNode } from '../nodes/dialect.js';
import { forEachInSlices, inSlices, sortedInSlices } from '../slices.js';
import { sequenceOf } from './permit-agreement.js';
import { readCount } from './permit-count.js';
import type { PermitCount } from '../options/permit-options.js';
import type { PermitContender, SemaphoreInspection } from './semaphore.js';
import { QUEUE_DIALECT } from './take-permits.js';

export interface InspectedSemaphore {
  readonly key: string;
  readonly directory: string;
  readonly count: PermitCount;
}

/** @throws as {@link inspectSemaphore} */
export async function findPermitHolders(
  context: QueueContext,
  lease: SessionLease,
  semaphore: InspectedSemaphore,
): Promise<FoundHolders> {
  const { inspection, held } = await inspectSemaphore(context, lease, semaphore, {
    limit: MOST_HOLDERS,
  });
  return { holders: inspection.holders.map(asHolder), total: held };
}

/** @throws {ZooKeeperError} {@link LockDirectoryError} {@link SharedCountError} */
export async function inspectSemaphore(
  { session, directories }: QueueContext,
  lease: SessionLease,
  { key, directory, count }: InspectedSemaphore,
  { linearizable = false, limit = 100 }: InspectOptions,
): Promise<{ inspection: SemaphoreInspection; held: number }> {
  if (linearizable) await session.sync(lease, directory);
  const paths = semaphorePathsOf(directory);
  const [leaseNames, queue, permits] = await Promise.all([
    directories.list(lease, paths.leases),
    directories.queueIn(lease, paths.queue, QUEUE_DIALECT),
    readCount(session, lease, count),
  ]);
  const read = (path: string, nodes: readonly QueueNode[]): Promise<readonly Contender[]> =>
    readContenders(session, lease, path, nodes);
  const first = await read(paths.queue, queue.slice(0, 1));
  const [head] = first;
  const inOrder = await inSlices(leasesIn(leaseNames));
  const wanted = head && (head.holder?.permits ?? 1);
  const leases = inOrder.slice(0, heldCount(inOrder.length, permits, wanted));

  const [held, behind] = await Promise.all([
    read(paths.leases, leases.slice(0, limit)),
    read(paths.queue, queue.slice(1, Math.max(limit - leases.length, 1))),
  ]);
  const waiting = limit > leases.length ? [...first, ...behind] : [];
  const last = [queue.at(-1), inOrder.at(-1)];
  const lastSequence = Math.max(...last.map((node) => node?.sequence ?? -1));
  const show = ({ node, isEphemeral, queuedAt, holder }: Contender): PermitContender => {
    return { node, isEphemeral, queuedAt, holder };
  };
  const inspection = {
    key,
    permits,
    holders: held.map(show),
    waiters: waiting.map(show),
    total: leases.length + queue.length,
    ...(lastSequence >= 0 && { lastSequence }),
  };
  return { inspection, held: leases.length };
}

/** The leases of a semaphore, the oldest first. */
export function* leasesIn(names: readonly string[]): Generator<undefined, QueueNode[]> {
  const nodes: QueueNode[] = [];
  yield* forEachInSlices(names, (name) => {
    nodes.push({ name, mode: 'write', sequence: sequenceOf(name) });
  });
  return yield* sortedInSlices(nodes, (a, b) => a.sequence - b.sequence);
}

/**
 * How many of this number of leases are held. If there are more leases than permits, the latest ones
 * belong to the call at the head of the queue, which waits for others to leave.
 *
 * @param wanted how many permits the head of the queue takes; undefined without waiters
 */
export function heldCount(leases: number, permits: number, wanted: number | undefined): number {
  if (wanted === undefined || leases <= permits) return leases;
  return Math.max(leases - wanted, 0);
}
