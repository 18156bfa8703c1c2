import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import { formatConnectString } from '../../client/connect-string.js';
import type { Session } from '../../session/session.js';
import { acquire, isBusy, type Queue } from '../queue/acquire.js';
import type { Dialect } from '../queue/dialect.js';
import type { DirectoryLists } from '../queue/directory-lists.js';
import { ownHolderData } from '../queue/holder-data.js';
import { Holding } from '../holding/holding.js';
import {
  LockAbortedError,
  LockAccessError,
  LockTimeoutError,
  ZooKeeperUnavailableError,
} from '../lock-errors.js';
import type { LockMode } from '../lock.js';
import type { NodeReaper } from '../queue/node-reaper.js';
import { readWriteLock } from './recipe.js';
import { Wait } from '../queue/wait.js';

/** One call for a lock, with everything decided. */
export interface LockRequest {
  readonly key: string;
  readonly mode: LockMode;
  /** As the caller gave it. */
  readonly timeoutMs: number;
  /** When it is over, by `performance.now()`. */
  readonly deadline: number;
  /** Another part of the same call has used up some of the time. */
  readonly isLaterPart?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly directory: string;
  readonly label: string | undefined;
}

export interface ContendContext {
  readonly session: Session;
  readonly lists: DirectoryLists;
  readonly reaper: NodeReaper;
  readonly chroot: string;
  readonly dialect: Dialect;
  readonly application: string | undefined;
}

/** The wait of one request, with the errors that end it. */
export function newWait(request: LockRequest, session: Session, sessionTimeoutMs: number): Wait {
  const { key, mode, timeoutMs, deadline, isLaterPart = false, signal } = request;
  return new Wait({
    // 0 is a single try, which is not what was asked for where no time is left.
    timeoutMs: timeoutMs === 0 ? 0 : Math.max(deadline - performance.now(), 1),
    answerWithinMs: Math.ceil(sessionTimeoutMs / 3),
    onTimeout: (isBlocked) =>
      (isBlocked || isLaterPart) && session.isConnected
        ? new LockTimeoutError(key, mode, timeoutMs)
        : unavailable(request, session),
    signal,
    onAbort: (reason) => new LockAbortedError(key, mode, reason),
  });
}

/** Queues up for the lock as long as `wait` allows. */
export async function contend(
  request: LockRequest,
  wait: Wait,
  context: ContendContext,
): Promise<Holding> {
  const { key, mode } = request;
  const { session, reaper } = context;
  const queue = queueOf(request, context);
  try {
    if (request.timeoutMs === 0) await refuseIfBusy(queue, request, wait);
    return await acquire(queue, wait, async (lease, path) => {
      const holding = new Holding({ session, reaper, lease, path, key, mode });
      return (await holding.confirm()) ? holding : undefined;
    });
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noAuth)) {
      throw new LockAccessError(request.directory, { cause: error });
    }
    throw error;
  }
}

function queueOf(request: LockRequest, context: ContendContext): Queue {
  const { session, lists, reaper, chroot, dialect, application } = context;
  const { mode, directory, label } = request;
  const prefix = (guid: string): string => dialect.nodePrefix(mode, guid);
  const data = ownHolderData(application, label);
  return {
    session,
    lists,
    reaper,
    dialect,
    waitsFor: readWriteLock[mode],
    place: { directory, chroot, prefix, data },
  };
}

/** A single try reads before it writes: where the lock is taken, it leaves no trace. */
async function refuseIfBusy(queue: Queue, request: LockRequest, wait: Wait): Promise<void> {
  const { session } = queue;
  if (!session.isConnected) throw unavailable(request, session);
  const lease = await session.whenConnected(wait.signal);
  const busy = await wait.for(isBusy(queue, lease)).catch((error: unknown) => {
    throw isConnectionError(error) ? unavailable(request, session) : error;
  });
  if (busy) wait.blocked();
  wait.signal.throwIfAborted();
}

function unavailable(request: LockRequest, session: Session): ZooKeeperUnavailableError {
  const { key, mode, timeoutMs } = request;
  const servers = formatConnectString(session.connectString);
  const [time, remedy] =
    timeoutMs === 0
      ? ['at once', 'give the call a `timeoutMs`']
      : [`within ${timeoutMs} ms`, 'raise `timeoutMs`'];
  return new ZooKeeperUnavailableError(
    `ZooKeeper at ${servers} did not decide about the ${mode} lock "${key}" ${time}. Check that the servers run and can be reached, or ${remedy}.`,
    { cause: session.lastFailure },
  );
}
