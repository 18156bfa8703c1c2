import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import type { CreateMode } from '../client/zookeeper-client.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { retryUntilAnswered, SessionOverError } from './retry.js';

/**
 * Makes sure that a node of this name is there, and restricted where nodes are. May be repeated
 * when an answer was lost.
 *
 * @throws {ZooKeeperError} also where it cannot be restricted; then it is not left open
 */
export async function ensureNode(
  session: Session,
  lease: SessionLease,
  path: string,
  data: Buffer,
  mode: Exclude<CreateMode, 'ephemeral-sequential'>,
): Promise<void> {
  const creating = session.create(lease, path, data, mode);
  // In the same round trip: there is no telling what happens to this process between two.
  const securing = session.secure(lease, path, mode === 'ephemeral' ? data : undefined);
  securing.catch(() => undefined);
  try {
    await creating;
  } catch (error) {
    if (!hasReturnCode(error, ReturnCode.nodeExists)) throw error;
  }
  try {
    await securing;
  } catch (error) {
    if (!isConnectionError(error)) await remove(session, lease, path);
    throw error;
  }
}

/** @throws {ZooKeeperError} where it may still be there for want of an answer: then all is repeated */
async function remove(session: Session, lease: SessionLease, path: string): Promise<void> {
  try {
    await session.delete(lease, path);
  } catch (error) {
    if (isConnectionError(error)) throw error;
  }
}

/**
 * Completes a contender's node whose name is known since this turn; undefined where nodes are open.
 * A lost answer is made up for when the session is back.
 *
 * @throws {ZooKeeperError} the server's refusal
 */
export function secureContender(
  session: Session,
  lease: SessionLease,
  path: string,
  data: Buffer,
): Promise<void> | undefined {
  if (!session.restrictsNodes) return undefined;
  const secured = secureOrGone(session, lease, path, data);
  // Whoever waits for it hears of a refusal; nobody has to.
  secured.catch(() => undefined);
  return secured;
}

async function secureOrGone(
  session: Session,
  lease: SessionLease,
  path: string,
  data: Buffer,
): Promise<void> {
  try {
    await retryUntilAnswered(session, lease, () => session.secure(lease, path, data));
  } catch (error) {
    // What contends with it finds out by itself.
    const isGone = error instanceof SessionOverError || hasReturnCode(error, ReturnCode.noNode);
    if (!isGone) throw error;
  }
}
