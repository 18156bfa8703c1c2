import { hasReturnCode, ReturnCode } from '../../client/client-errors.js';
import { join } from '../../client/node-path.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import { revokeRequest } from '../queue/holder-data.js';
import { holdersOf, type InspectContext } from './inspection.js';

/**
 * Asks whoever holds a lock to give it up, by writing to their nodes, which they watch.
 *
 * @returns how many were asked
 * @throws {ZooKeeperError}
 */
export async function revokeHolders(
  { session, lists, dialect }: InspectContext,
  lease: SessionLease,
  directory: string,
): Promise<number> {
  const queue = dialect.parse(directory, await lists.list(lease, directory));
  const paths = holdersOf(queue).map(({ name }) => join(directory, name));
  const asked = await Promise.all(paths.map((path) => ask(session, lease, path)));
  return asked.filter(Boolean).length;
}

/** False where the holder has left meanwhile. */
async function ask(session: Session, lease: SessionLease, path: string): Promise<boolean> {
  try {
    const { data } = await session.get(lease, path);
    await session.set(lease, path, revokeRequest(data));
    return true;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noNode)) return false;
    throw error;
  }
}
