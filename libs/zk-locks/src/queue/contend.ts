import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import { join } from '../client/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { LockAccessError, LockTimeoutError } from '../lock-errors.js';
import { acquire, type Claim, findBlockers, type Queue } from './acquire.js';
import { parseHolderData } from './holder-data.js';
import type { Wait } from './wait.js';
import { unavailable, type WaitRequest } from './wait-request.js';

/**
 * Queues up as long as `wait` allows, as {@link acquire} does, and says what a request needs to know
 * of a refusal.
 *
 * @throws the error of `wait`
 * @throws {LockAccessError} {@link LockDirectoryError}
 */
export function contend<T>(
  queue: Queue,
  request: WaitRequest,
  wait: Wait,
  claim: Claim<T>,
): Promise<T> {
  const look = (lease: SessionLease): Promise<boolean> => isBusy(queue, wait, lease);
  return explainRefusal(queue.place.directory, () =>
    request.timeoutMs === 0
      ? refuseIfBusy(queue.context.session, request, wait, look).then(() =>
          acquire(queue, wait, claim),
        )
      : acquire(queue, wait, claim),
  );
}

/** A single try reads before it writes: where the lock is taken, it leaves no trace. */
export async function refuseIfBusy(
  session: Session,
  request: WaitRequest,
  wait: Wait,
  look: (lease: SessionLease) => Promise<boolean>,
): Promise<void> {
  const lease = session.connectedLease;
  if (!lease) throw unavailable(request, session);
  const busy = await wait.for(look(lease)).catch((error: unknown) => {
    throw isConnectionError(error) ? unavailable(request, session) : error;
  });
  if (busy) wait.blocked();
  wait.throwIfOver();
}

/**
 * Whether a single try has to give up. Where one node is in the way whose process may keep it unused,
 * it queues up for a moment: that process gives the lock back when another contender comes.
 */
async function isBusy(queue: Queue, wait: Wait, lease: SessionLease): Promise<boolean> {
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

/** A single try that found somebody in the way has not failed. */
export async function nullIfBusy<T>(trying: Promise<T>): Promise<T | null> {
  try {
    return await trying;
  } catch (error) {
    if (error instanceof LockTimeoutError) return null;
    throw error;
  }
}

/** @throws {LockAccessError} where ZooKeeper's ACLs keep `work` from doing what it wants at `path` */
export function explainRefusal<T>(path: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw hasReturnCode(error, ReturnCode.noAuth)
      ? new LockAccessError(path, { cause: error })
      : error;
  });
}
