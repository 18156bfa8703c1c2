import type { LocksContext } from '../grant/locks-context.js';
import { semaphorePathsOf } from '../lock/key-path.js';
import { LockDirectoryError } from '../lock/lock-errors.js';
import { acquire } from '../queue/contender.js';
import { dialectOf, isLockNode } from '../nodes/dialect.js';
import type { Directories } from '../queue/directories.js';
import { ownHolderData } from '../nodes/holder-data.js';
import type { IsTaken, NewLockNode, QueueContext, QueueView, Recipe } from '../queue/lock-node.js';
import { isBusy } from '../queue/single-try.js';
import { explainRefusal } from '../queue/wait.js';
import type { OwnNode } from '../queue/own-node.js';
import { type SessionLease, type Wait, ZkLockConfigError } from 'zk-client/recipes';
import type { NodeGrant } from '../grant/node-grant.js';
import { findInSlices, inSlices } from '../slices.js';
import { PermitClaim, type PermitRequest } from './permit-claim.js';
import { readCount } from './permit-count.js';

/**
 * The dialect of Curator's `InterProcessMutex`, whatever the module's dialect: it guards the leases
 * of Curator's semaphore.
 */
export const QUEUE_DIALECT = dialectOf('curator-mutex');

/**
 * Queues for permits as long as `wait` allows. At the head of the queue, it creates a lease for
 * each permit and stays there until there are no more leases than permits. Then it leaves the
 * queue, and the next call may try. If it ends without permits, it leaves nothing behind.
 *
 * @throws the error of `wait`
 * @throws {LockDirectoryError} {@link SharedCountError} {@link LockAccessError}
 */
export function takePermits(
  request: PermitRequest,
  wait: Wait,
  context: LocksContext,
): Promise<NodeGrant> {
  const turn = permitTurn(request, context);
  const claim = (own: OwnNode): Promise<NodeGrant | undefined> => {
    // The claim watches its place in the queue itself, for as long as it needs it.
    own.stop();
    const permits = new PermitClaim(context, request, own, leasesOf(turn, request), wait);
    own.keepFor(permits);
    return permits.run();
  };
  const queueUp = (): Promise<NodeGrant> => acquire(turn, claim, request, wait, context);
  const lease = context.session.connectedLease;
  if (!lease || request.agreement.isKnown(lease)) return queueUp();
  // Asked before the wait for the turn. If there is no answer now, it is asked again when the turn
  // has come.
  return wait.for(request.agreement.ask(lease).catch(refuseOnly)).then(queueUp);
}

function refuseOnly(error: unknown): void {
  if (error instanceof ZkLockConfigError) throw error;
}

/** The recipe by which a call queues for permits. */
function permitTurn(request: PermitRequest, { directories, application }: LocksContext): Recipe {
  const { key, directory, label, take } = request;
  const isTaken: IsTaken = (context, view, lease) => areTaken(context, view, lease, request);
  return {
    key,
    directory: semaphorePathsOf(directory).queue,
    prefix: QUEUE_DIALECT.nodePrefix.write,
    data: ownHolderData(application, label, { permits: take }),
    checkDirectory: (lease: SessionLease) => refuseLocks(directories, lease, directory),
    ...{ dialect: QUEUE_DIALECT, mode: 'write', isTaken },
  };
}

function leasesOf({ data }: NewLockNode, { directory, agreement }: PermitRequest): NewLockNode {
  return {
    directory: semaphorePathsOf(directory).leases,
    directoryData: agreement.data,
    prefix: agreement.prefix,
    data,
  };
}

/** @throws {LockDirectoryError} when the key is in use for a lock */
async function refuseLocks(
  directories: Directories,
  lease: SessionLease,
  directory: string,
): Promise<void> {
  const names = await directories.list(lease, directory);
  const node = await inSlices(findInSlices(names, isLockNode));
  if (node === undefined) return;
  throw new LockDirectoryError(
    `${directory} contains the node of a lock: "${node}". Give the semaphore a key of its own.`,
  );
}

/** Whether a newcomer would have to wait, found by reads alone. */
async function areTaken(
  context: QueueContext,
  view: QueueView,
  lease: SessionLease,
  { directory, count, take, agreement }: PermitRequest,
): Promise<boolean> {
  const { session, directories } = context;
  const held = semaphorePathsOf(directory).leases;
  const [isQueueing, leases, all] = await Promise.all([
    isBusy(context, view, lease),
    explainRefusal(session, held, () => directories.list(lease, held)),
    readCount(session, lease, count),
  ]);
  await inSlices(agreement.check(leases));
  return isQueueing || leases.length + take > all;
}
