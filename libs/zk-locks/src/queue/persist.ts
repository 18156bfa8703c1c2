import { setImmediate as nextTurn } from 'node:timers/promises';
import { isConnectionError } from '../client/client-errors.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';

/** The session that a step belonged to is over, and its ephemeral nodes are gone with it. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

/**
 * Repeats an idempotent request over reconnects until it is answered.
 *
 * @throws {SessionOverError} when the session ends first
 * @throws {ZooKeeperError} the server's own refusal
 */
export async function persist<T>(
  session: Session,
  lease: SessionLease,
  request: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      await untilReconnected(session, lease);
    }
  }
}

/** @throws {SessionOverError} when the session ends instead */
export async function untilReconnected(session: Session, lease: SessionLease): Promise<void> {
  // Never in the same turn: a connection that is about to be given up may still look alive.
  await nextTurn();
  if (!(await session.whenReconnected(lease))) throw new SessionOverError();
}
