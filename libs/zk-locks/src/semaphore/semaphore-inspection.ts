import { join, type NodeContent, readShort, type SessionLease } from 'zk-client/recipes';
import { semaphorePathsOf } from '../lock/key-path.js';
import type { InspectOptions } from '../lock/lock.js';
import { type FoundHolders, MOST_HOLDERS } from '../inspection/holder-report.js';
import type { QueueContext } from '../queue/lock-node.js';
import { isEphemeral, parseHolderData } from '../nodes/holder-data.js';
import { sequenceOf } from './permit-agreement.js';
import { readCount } from './permit-count.js';
import type { PermitCount } from '../options/permit-options.js';
import type { PermitHolder, PermitWaiter, SemaphoreInspection } from './semaphore.js';
import { QUEUE_DIALECT } from './take-permits.js';

interface InspectedSemaphore {
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
  return { holders: inspection.holders, total: held };
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
  const [leaseNames, queued, permits] = await Promise.all([
    directories.list(lease, paths.leases),
    directories.queueIn(lease, paths.queue, QUEUE_DIALECT),
    readCount(session, lease, count),
  ]);
  const queue = queued.map(({ name }) => name);
  const read = (path: string): Promise<NodeContent | undefined> => readShort(session, lease, path);

  const readWaiters = (names: readonly string[]): Promise<(PermitWaiter | undefined)[]> =>
    Promise.all(names.map(async (name) => waiter(name, await read(join(paths.queue, name)))));
  const [head] = await readWaiters(queue.slice(0, 1));
  const leases = heldLeases(leaseNames, permits, head && (head.holder?.permits ?? 1));

  const [holders, behind] = await Promise.all([
    Promise.all(
      leases
        .slice(0, limit)
        .map(async (name) => holder(name, await read(join(paths.leases, name)))),
    ),
    readWaiters(queue.slice(1, Math.max(limit - leases.length, 1))),
  ]);
  const waiters = limit > leases.length ? [head, ...behind] : [];
  const lastSequence = leaseNames
    .map(sequenceOf)
    .reduce((last, number) => Math.max(last, number), queued.at(-1)?.sequence ?? -1);
  const inspection = {
    key,
    permits,
    // Leases and waiters that have left in the meantime are not shown.
    holders: holders.filter((found) => found !== undefined),
    waiters: waiters.filter((found) => found !== undefined),
    total: leases.length + queue.length,
    ...(lastSequence >= 0 && { lastSequence }),
  };
  return { inspection, held: leases.length };
}

/**
 * The leases that are held, the oldest first. If there are more leases than permits, the latest
 * ones belong to the call at the head of the queue, which waits for others to leave.
 *
 * @param wanted how many permits the head of the queue takes; undefined without waiters
 */
function heldLeases(
  names: readonly string[],
  permits: number,
  wanted: number | undefined,
): string[] {
  const ordered = names
    .map((name) => ({ name, sequence: sequenceOf(name) }))
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ name }) => name);
  return ordered.slice(0, heldCount(names.length, permits, wanted));
}

/** How many of this number of leases are held: see {@link heldLeases}. */
export function heldCount(leases: number, permits: number, wanted: number | undefined): number {
  if (wanted === undefined || leases <= permits) return leases;
  return Math.max(leases - wanted, 0);
}

function holder(node: string, content: NodeContent | undefined): PermitHolder | undefined {
  if (!content) return undefined;
  const { data, stat } = content;
  return {
    ...{ node, isEphemeral: isEphemeral(stat), since: stat.ctime },
    holder: parseHolderData(data),
  };
}

function waiter(node: string, content: NodeContent | undefined): PermitWaiter | undefined {
  if (!content) return undefined;
  const { data, stat } = content;
  return {
    ...{ node, isEphemeral: isEphemeral(stat), queuedAt: stat.ctime },
    holder: parseHolderData(data),
  };
}
