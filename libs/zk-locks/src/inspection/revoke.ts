import { hasReturnCode, ReturnCode } from '../client/client-errors.js';
import { join } from '../client/node-path.js';
import { guardPathOf } from '../key-path.js';
import { readShort } from '../session/read-short.js';
import type { SessionLease } from '../session/session-lease.js';
import { guardOf, revokeRequest } from '../queue/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { holdersOf } from './inspection.js';

/**
 * Asks the holders of a lock to release it, by writing to their nodes, which they watch. Nodes that no
 * process watches stay as they are.
 *
 * @returns how many were asked
 * @throws {ZooKeeperError}
 */
export async function revokeHolders(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
): Promise<number> {
  const { lists, dialect } = context;
  const queue = dialect.parse(directory, await lists.list(lease, directory));
  // A writer that reads as well has two nodes with one number; either may be removed meanwhile.
  const names = new Map<number, string[]>();
  for (const { sequence, name } of queue) {
    const known = names.get(sequence)?.push(name);
    if (known === undefined) names.set(sequence, [name]);
  }
  const numbers = new Set(holdersOf(queue).map(({ sequence }) => sequence));
  const holders = await Promise.all(
    Array.from(numbers, (sequence) => {
      const own = names.get(sequence) ?? [];
      return Promise.all(own.map((name) => ask(context, lease, directory, name)));
    }),
  );
  return holders.filter((asked) => asked.includes(true)).length;
}

/** False where the holder has left meanwhile, or would not understand it. */
async function ask(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
  name: string,
): Promise<boolean> {
  const { session, dialect } = context;
  const path = join(directory, name);
  try {
    const content = await readShort(session, lease, path);
    if (!content) return false;
    const request = revokeRequest(name, content);
    if (!request) return false;
    if (dialect.name === 'single-node') {
      return await askGuarded(context, lease, path, guardOf(content.data), request);
    }
    await session.set(lease, path, request);
    return true;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noNode)) return false;
    throw error;
  }
}

/**
 * A node whose path the next holder's has as well: written only while the guard is there of the holder
 * that was read. False for a foreign holder, who would not know what is written there.
 */
async function askGuarded(
  { session, root }: QueueContext,
  lease: SessionLease,
  path: string,
  guard: string | undefined,
  request: Buffer,
): Promise<boolean> {
  if (guard === undefined) return false;
  await session.transact(lease, [
    { type: 'check', path: guardPathOf(root, guard) },
    { type: 'set', path, data: request },
  ]);
  return true;
}
