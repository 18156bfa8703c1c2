import {
  hasReturnCode,
  join,
  nameOf,
  orIfGone,
  readShort,
  ReturnCode,
  type SessionLease,
  tryAgain,
} from 'zk-client/recipes';
import { guardPathOf } from '../lock/key-path.js';
import { guardOf, revokeRequest } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { holdersOf } from './inspection.js';

/** At a node that others write to in the same moment: each attempt that fails is one of theirs that did not. */
const ATTEMPTS = 100;

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
function ask(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
  name: string,
): Promise<boolean> {
  const asked = tryAgain(
    () => askOnce(context, lease, join(directory, name)),
    // It says something else meanwhile, such as that the lock was broken.
    (error, failed) => hasReturnCode(error, ReturnCode.badVersion) && failed < ATTEMPTS,
  );
  return orIfGone(asked, false);
}

async function askOnce(
  { session, root, dialect }: QueueContext,
  lease: SessionLease,
  path: string,
): Promise<boolean> {
  const content = await readShort(session, lease, path);
  const data = content && revokeRequest(nameOf(path), content);
  if (!data) return false;
  const { version } = content.stat;
  if (dialect.name !== 'single-node') {
    await session.set(lease, path, data, version);
    return true;
  }
  // The next holder's node has the same path: written only while the guard is there of the one that was read.
  const guard = guardOf(content.data);
  if (guard === undefined) return false;
  await session.transact(lease, [
    { type: 'check', path: guardPathOf(root, guard) },
    { type: 'set', path, data, version },
  ]);
  return true;
}
