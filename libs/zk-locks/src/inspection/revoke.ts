import { hasReturnCode, ReturnCode } from '../client/client-errors.js';
import { join } from '../client/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { revokeRequest } from '../queue/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { holdersOf } from './inspection.js';

/**
 * Asks whoever holds a lock to give it up, by writing to their nodes, which they watch.
 *
 * @returns how many were asked
 * @throws {ZooKeeperError}
 */
export async function revokeHolders(
  { session, lists, dialect }: QueueContext,
  lease: SessionLease,
  directory: string,
): Promise<number> {
  const queue = dialect.parse(directory, await lists.list(lease, directory));
  const holders = await Promise.all(
    holdersOf(queue).map(async ({ sequence }) => {
      // A writer that reads as well has two nodes with one number; which of them stays is its affair.
      const nodes = queue.filter((node) => node.sequence === sequence);
      const paths = nodes.map(({ name }) => join(directory, name));
      return Promise.all(paths.map((path) => ask(session, lease, path)));
    }),
  );
  return holders.filter((asked) => asked.includes(true)).length;
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
