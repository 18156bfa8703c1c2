import {
  checkValue,
  isConnectionError,
  join,
  type Option,
  readOptions,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { LockTimeoutError } from '../lock/lock-errors.js';
import type { QueueNode } from '../nodes/dialect.js';
import { parseHolderData } from '../nodes/holder-data.js';
import type { IsTaken, QueueContext, QueueView } from './lock-node.js';
import { unavailable, type WaitRequest } from './wait.js';

/** Ends the wait of a single try that would have to wait, before it writes anything. */
export async function refuseIfTaken(
  view: QueueView & { readonly isTaken: IsTaken },
  request: WaitRequest,
  wait: Wait,
  context: QueueContext,
): Promise<void> {
  const { session } = context;
  const lease = session.connectedLease;
  if (!lease) throw unavailable(request, session);
  const looking = view.isTaken(context, view, lease, wait);
  const isTaken = await wait.for(looking).catch((error: unknown) => {
    throw isConnectionError(error) ? unavailable(request, session) : error;
  });
  if (isTaken) wait.blocked();
  wait.throwIfOver();
}

export async function isBusy(
  context: QueueContext,
  view: QueueView,
  lease: SessionLease,
): Promise<boolean> {
  return (await findBlockers(context, view, lease)).length > 0;
}

/**
 * Like {@link isBusy}, for a process that itself keeps locks. If the only node in the way belongs
 * to a process that may keep it unused, the try queues for a moment: that process releases the lock
 * when another contender arrives.
 */
export const isBusyUnlessKept: IsTaken = async (context, view, lease, wait) => {
  const [blocker, another] = await findBlockers(context, view, lease);
  if (!blocker) return false;
  if (another) return true;
  const path = join(view.directory, blocker.name);
  const data = await context.session.get(lease, path).then(
    (content) => content.data,
    (error: unknown) => {
      if (isConnectionError(error)) throw error;
      return undefined;
    },
  );
  if (!data || parseHolderData(data)?.keepMs === undefined) return true;
  wait.tolerateBlocker();
  return false;
};

/** The nodes that a newcomer would have to wait for. */
async function findBlockers(
  { directories }: QueueContext,
  { directory, dialect, mode }: QueueView,
  lease: SessionLease,
): Promise<readonly QueueNode[]> {
  const nodes = await directories.queueIn(lease, directory, dialect);
  return mode === 'write' ? nodes : nodes.filter((node) => node.mode === 'write');
}

const OMITTED: Option = {
  expected: 'omitted for a single try, which does not wait',
  accepts: (timeoutMs) => timeoutMs === undefined,
  remedy: 'Omit it, or use the method that waits.',
};

/**
 * Tries once: another contender in the way is not an error.
 *
 * @throws {ZkLockConfigError} for a `timeoutMs`
 */
export async function tryOnce<Options extends object, T>(
  given: Options | null | undefined,
  acquire: (options: Options & { timeoutMs: number }) => Promise<T>,
): Promise<T | null> {
  const options = readOptions<Options & { timeoutMs?: unknown }>(given);
  checkValue('timeoutMs', options.timeoutMs, OMITTED);
  try {
    return await acquire({ ...options, timeoutMs: 0 });
  } catch (error) {
    if (error instanceof LockTimeoutError) return null;
    throw error;
  }
}
