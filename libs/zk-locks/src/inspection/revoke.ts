import {
  hasReturnCode,
  orIfGone,
  ReturnCode,
  type SessionLease,
  tryAgain,
} from 'zk-client/recipes';
import type { QueueNode } from '../nodes/dialect.js';
import { revokeRequest } from '../nodes/holder-data.js';
import type { QueueContext } from '../queue/lock-node.js';
import { FoundNode } from './found-node.js';
import { holdersOf } from './inspection.js';

/**
 * The limit for a node that others write to at the same time: each failed attempt means that
 * another write succeeded.
 */
const ATTEMPTS = 100;

/**
 * Asks the holders of a lock to release it, by writing to their nodes, which they watch. Nodes that
 * no process watches are left alone.
 *
 * @returns how many holders were asked
 * @throws {ZooKeeperError}
 */
export async function revokeHolders(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
): Promise<number> {
  const { directories, dialect } = context;
  const queue = await directories.queueIn(lease, directory, dialect);
  // A writer that also reads has two nodes with the same number; either may be removed meanwhile.
  const nodes = new Map<number, QueueNode[]>();
  for (const node of queue) {
    const known = nodes.get(node.sequence)?.push(node);
    if (known === undefined) nodes.set(node.sequence, [node]);
  }
  const numbers = new Set(holdersOf(queue).map(({ sequence }) => sequence));
  const holders = await Promise.all(
    Array.from(numbers, (sequence) => {
      const own = nodes.get(sequence) ?? [];
      return Promise.all(own.map((node) => ask(context, lease, directory, node)));
    }),
  );
  return holders.filter((asked) => asked.includes(true)).length;
}

/** Returns false if the holder has left, or would not understand the request. */
function ask(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
  node: QueueNode,
): Promise<boolean> {
  const asked = tryAgain(
    () => askOnce(context, lease, directory, node),
    // The data have changed in the meantime, for example because the lock was broken.
    (error, failed) => hasReturnCode(error, ReturnCode.badVersion) && failed < ATTEMPTS,
  );
  return orIfGone(asked, false);
}

async function askOnce(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
  node: QueueNode,
): Promise<boolean> {
  const found = await FoundNode.read(context, lease, directory, node);
  const data = found && revokeRequest(node.name, found.content);
  if (!data || found.lacksGuard) return false;
  await found.set(lease, data, found.content.stat.version);
  return true;
}
