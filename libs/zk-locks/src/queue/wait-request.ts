import type { Session } from '../session/session.js';
import {
  type GuardKind,
  LockAbortedError,
  LockTimeoutError,
  nameGuard,
  type ZooKeeperUnavailableError,
} from '../lock-errors.js';
import { unavailableError } from './unavailable-error.js';
import { Wait } from './wait.js';

/** One call that may have to wait, with everything decided that its errors tell. */
export interface WaitRequest {
  readonly key: string;
  readonly mode: GuardKind;
  /** As the caller gave it. */
  readonly timeoutMs: number;
  /** When it is over, by `performance.now()`. */
  readonly deadline: number;
  /** Another part of the same call has used up some of the time. */
  readonly isLaterPart?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The wait of one request, with the errors that end it. */
export function newWait(
  request: WaitRequest,
  session: Session,
  sessionTimeoutMs: number,
  onBlocked?: () => void,
): Wait {
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
    onBlocked,
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
    `did not decide about the ${nameGuard(mode, key)} ${time}`,
    `Check that the servers run and can be reached, or ${remedy}.`,
  );
}
