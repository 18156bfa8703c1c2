import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasReturnCode, isConnectionError, ReturnCode } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';
import type { SessionRequests } from '../session/session-requests.js';

/** How often to retry a step that other clients undo, or outrun, at the same moment. */
const MOST_TRIES = 8;

/** The session of a step has ended, and its ephemeral nodes are gone with it. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

/**
 * Repeats an idempotent request across reconnects until it is answered.
 *
 * @throws {SessionOverError} when the session ends first
 * @throws {ZooKeeperError} the server's own refusal
 */
export function retryUntilAnswered<T>(
  session: Pick<SessionRequests, 'whenReconnected'>,
  lease: SessionLease,
  request: () => Promise<T>,
): Promise<T> {
  return tryAgain(request, async (error) => {
    if (!isConnectionError(error)) return false;
    await untilReconnected(session, lease);
    return true;
  });
}

/**
 * Runs work that belongs to one session, and runs it again in the next one if that session ends.
 *
 * @param connected the session to begin with, once there is one
 * @throws whatever they throw, except for a {@link SessionOverError} of `work`
 */
export function askOnAnySession<T>(
  connected: () => Promise<SessionLease>,
  work: (lease: SessionLease) => Promise<T>,
): Promise<T> {
  return tryAgain(
    async () => work(await connected()),
    (error) => error instanceof SessionOverError,
  );
}

/**
 * Asks, and creates a missing node before it asks again. The node may vanish in between.
 *
 * @throws {ZooKeeperError} also `ZK_NO_NODE`, if the server always answers that
 */
export function askOrMake<T>(ask: () => Promise<T>, make: () => Promise<unknown>): Promise<T> {
  return tryAgain(ask, async (error, tries) => {
    if (!hasReturnCode(error, ReturnCode.noNode) || tries === MOST_TRIES) return false;
    await make();
    return true;
  });
}

/**
 * Tries until it succeeds, or until `mend` decides against another attempt.
 *
 * @param mend receives the error of an attempt, and the number of failed attempts; may prepare the
 * next one
 */
export async function tryAgain<T>(
  attempt: (failed: number) => Promise<T>,
  mend: (error: unknown, failed: number) => boolean | Promise<boolean>,
): Promise<T> {
  for (let failed = 0; ;) {
    try {
      return await attempt(failed);
    } catch (error) {
      if (!(await mend(error, ++failed))) throw error;
    }
  }
}

/** @throws {SessionOverError} when the session ends first */
export async function untilReconnected(
  session: Pick<SessionRequests, 'whenReconnected'>,
  lease: SessionLease,
): Promise<void> {
  // Never in the same turn: a connection that is about to be given up may still look alive.
  await nextTurn();
  if (!(await session.whenReconnected(lease))) throw new SessionOverError();
}
