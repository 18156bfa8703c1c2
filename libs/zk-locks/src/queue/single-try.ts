import { LockTimeoutError } from '../lock-errors.js';
import type { Entry } from './contender.js';
import { parseHolderData } from './holder-data.js';
import type { QueueNode } from './dialect.js';
import { unavailable, type WaitRequest } from './wait.js';
import { isConnectionError, join, type SessionLease, type Wait } from 'zk-client/recipes';

/** Whether a newcomer would have to wait, by reads that leave no trace. */
export type IsTaken = (queue: Entry, lease: SessionLease, wait: Wait) => Promise<boolean>;

/** Ends the wait of a single try where it would have to wait, before it writes anything. */
export async function refuseIfTaken(
  queue: Entry,
  request: WaitRequest,
  wait: Wait,
  isTaken: IsTaken,
): Promise<void> {
  const { session } = queue.context;
  const lease = session.connectedLease;
  if (!lease) throw unavailable(request, session);
  const taken = await wait.for(isTaken(queue, lease, wait)).catch((error: unknown) => {
    throw isConnectionError(error) ? unavailable(request, session) : error;
  });
  if (taken) wait.blocked();
  wait.throwIfOver();
}

export async function isBusy(queue: Entry, lease: SessionLease): Promise<boolean> {
  return (await findBlockers(queue, lease)).length > 0;
}

/**
 * As {@link isBusy}, of a process that keeps locks itself. Where one node is in the way whose process
 * may keep it unused, the try queues up for a moment: that process gives the lock back when another
 * contender comes.
 */
export async function isBusyUnlessKept(
  queue: Entry,
  lease: SessionLease,
  wait: Wait,
): Promise<boolean> {
  const blockers = await findBlockers(queue, lease);
  const [blocker] = blockers;
  if (!blocker || blockers.length > 1) return blockers.length > 0;
  const path = join(queue.place.directory, blocker.name);
  const data = await queue.context.session.get(lease, path).then(
    (content) => content.data,
    (error: unknown) => {
      if (isConnectionError(error)) throw error;
      return undefined;
    },
  );
  if (!data || parseHolderData(data)?.keepMs === undefined) return true;
  wait.tolerateBlocker();
  return false;
}

/** The nodes that a newcomer would have to wait for. */
async function findBlockers(
  { context, dialect, mode, place }: Entry,
  lease: SessionLease,
): Promise<readonly QueueNode[]> {
  const names = await context.lists.list(lease, place.directory);
  const nodes = dialect.parse(place.directory, names);
  return mode === 'write' ? nodes : nodes.filter((node) => node.mode === 'write');
}

/** A single try that found another contender in the way has not failed. */
export async function nullIfBusy<T>(trying: Promise<T>): Promise<T | null> {
  try {
    return await trying;
  } catch (error) {
    if (error instanceof LockTimeoutError) return null;
    throw error;
  }
}
