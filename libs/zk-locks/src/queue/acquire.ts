import { hasReturnCode, ReturnCode } from '../client/client-errors.js';
import { LockAccessError } from '../lock-errors.js';
import type { Entry } from './contender.js';
import type { KeyQueues } from './key-queues.js';
import type { OwnNode } from './own-node.js';
import { SessionOverError } from '../session/session-requests.js';
import { retryDelay, type Wait, type WaitRequest } from './wait.js';
import { isBusy, type IsTaken, refuseIfTaken } from './single-try.js';

export interface Queue extends Entry {
  readonly queues: KeyQueues;
}

/**
 * Makes of a contender's node, whose turn it is, what the contender wanted it for, and takes it over
 * with its watch. Undefined where the node turns out to be gone.
 */
export type Claim<T> = (own: OwnNode) => Promise<T | undefined>;

/**
 * Queues up until it is this contender's turn, and then `claim`s its node.
 *
 * A contender whose node is gone queues up anew, as it does when its session ends while it waits.
 * However this call ends, other than by returning what `claim` made of the node, the node is removed.
 *
 * @param isTaken what a single try reads before it writes: where this is true, it leaves no trace
 * @throws the error of `wait` once that is over
 * @throws {LockAccessError} {@link LockDirectoryError}
 * @throws {ZooKeeperError} the server's refusal
 */
export async function acquire<T>(
  queue: Queue,
  request: WaitRequest,
  wait: Wait,
  claim: Claim<T>,
  isTaken: IsTaken = isBusy,
): Promise<T> {
  const { context, queues, dialect, place } = queue;
  const { session, remover } = context;
  try {
    if (request.timeoutMs === 0) await refuseIfTaken(queue, request, wait, isTaken);
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) await retryDelay(attempt, wait);
      wait.throwIfOver();
      const lease = session.connectedLease ?? (await session.whenConnected(wait.signal));
      let own: OwnNode | undefined;
      let claimed: T | undefined;
      try {
        const granted = await queues.of(lease, place.directory, dialect).enter(queue, wait);
        own = granted?.own;
        // Its session may have ended since: then the call queues up anew in the next one.
        if (own && !lease.lossReason) claimed = await wait.for(claim(own));
      } catch (error) {
        if (!(error instanceof SessionOverError)) throw error;
      } finally {
        if (own && claimed === undefined) {
          own.abandon();
          void remover.remove(lease, own.path);
        }
      }
      if (claimed !== undefined) return claimed;
    }
  } catch (error) {
    throw explained(error, place.directory);
  }
}

/** @throws {LockAccessError} where ZooKeeper's ACLs keep `work` from doing what it wants at `path` */
export function explainRefusal<T>(path: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw explained(error, path);
  });
}

function explained(error: unknown, path: string): unknown {
  return hasReturnCode(error, ReturnCode.noAuth)
    ? new LockAccessError(path, { cause: error })
    : error;
}
