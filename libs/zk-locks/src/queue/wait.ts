import {
  hasReturnCode,
  messageWithoutLink,
  refusesNewNodes,
  ReturnCode,
  type Session,
  unavailableError,
  Wait,
  type WaitLimits,
  ZkClosedError,
  type ZooKeeperUnavailableError,
} from 'zk-client/recipes';
import { type LockKind, nameLock } from '../lock/lock-kind.js';
import {
  LockAbortedError,
  LockAccessError,
  LockDirectoryError,
  LockTimeoutError,
} from '../lock/lock-errors.js';
import type { QueueContext } from './lock-node.js';

/** One call that may have to wait, with everything that its errors mention. */
export interface WaitRequest {
  readonly key: string;
  readonly mode: LockKind;
  /** As the caller passed it. */
  readonly timeoutMs: number;
  /** When the wait is over, by `performance.now()`. */
  readonly deadline: number;
  /** Whether another part of the same call has used up some of the time. */
  readonly isLaterPart?: boolean;
  readonly signal: AbortSignal | undefined;
}

export type WaitContext = Pick<QueueContext, 'session' | 'sessionTimeoutMs'>;

/** The wait of one request, with the errors that end it. */
export function newWait(request: WaitRequest, context: WaitContext, onBlocked?: () => void): Wait {
  return new Wait(new RequestLimits(request, context, onBlocked));
}

/** Without closures: 10,000 calls may wait, and two closures are 0.2 KB. */
class RequestLimits implements WaitLimits {
  constructor(
    private readonly request: WaitRequest,
    private readonly context: WaitContext,
    readonly onBlocked?: () => void,
  ) {}

  get timeoutMs(): number {
    const { timeoutMs, deadline } = this.request;
    // 0 would mean a single try, which the caller did not ask for.
    return timeoutMs === 0 ? 0 : Math.max(deadline - performance.now(), 1);
  }

  get answerWithinMs(): number {
    return Math.ceil(this.context.sessionTimeoutMs / 3);
  }

  get signal(): AbortSignal | undefined {
    return this.request.signal;
  }

  onTimeout(isBlocked: boolean): Error {
    const { request, context } = this;
    const { key, mode, timeoutMs, isLaterPart = false } = request;
    // A single try has not waited: without an answer, nothing is known of the lock.
    const hasWaited = isBlocked || (isLaterPart && timeoutMs > 0);
    return hasWaited && context.session.isConnected
      ? new LockTimeoutError(key, mode, timeoutMs)
      : unavailable(request, context.session);
  }

  onAbort(reason: unknown): Error {
    return new LockAbortedError(this.request.key, this.request.mode, reason);
  }
}

/**
 * The wait of a question about locks, as errors describe it.
 *
 * @param what what did not happen in time, as a predicate of the servers
 */
export function newAnswerWait(
  session: Session,
  timeoutMs: number,
  what: string,
  closing: AbortSignal,
): Wait {
  const remedy = 'Check that the servers are running and can be reached.';
  return new Wait({
    ...{ timeoutMs, signal: closing },
    onTimeout: () => unavailableError(session, what, remedy),
    onAbort: () => new ZkClosedError(),
  });
}

export function unavailable(request: WaitRequest, session: Session): ZooKeeperUnavailableError {
  const { key, mode, timeoutMs } = request;
  const [time, remedy] =
    timeoutMs === 0
      ? ['at once', 'give the call a `timeoutMs`']
      : [`within ${timeoutMs} ms`, 'raise `timeoutMs`'];
  return unavailableError(
    session,
    `did not answer a call for the ${nameLock(mode, key)} ${time}`,
    `Check that the servers are running and can be reached, or ${remedy}.`,
  );
}

/** @throws {LockAccessError} when ZooKeeper's ACLs prevent `work` from accessing `path` */
export function explainRefusal<T>(
  session: Session,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch((error: unknown) => {
    throw explained(session, error, path);
  });
}

export function explained({ access }: Session, error: unknown, path: string): unknown {
  if (refusesNewNodes(error)) access.callRefused(path, error.code);
  if (hasReturnCode(error, ReturnCode.noAuth)) access.callRefused(path);
  // One list may be refused to many calls, and each has an error of its own.
  if (error instanceof LockDirectoryError) return new LockDirectoryError(messageWithoutLink(error));
  return orAccessError({ access }, error, path);
}

/** The error for a caller: a {@link LockAccessError} if an ACL has refused the request. */
export function orAccessError(
  { access }: Pick<Session, 'access'>,
  error: unknown,
  path: string,
): unknown {
  if (!hasReturnCode(error, ReturnCode.noAuth)) return error;
  return new LockAccessError(path, { ...access.identity, cause: error });
}
