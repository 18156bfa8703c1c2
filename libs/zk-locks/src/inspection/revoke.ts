import {
  hasReturnCode,
  orIfGone,
  ReturnCode,
  type SessionLease,
  tryAgain,
  type Wait,
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

/** Other programs may have created many thousands of nodes. */
const ASKED_TOGETHER = 100;

/**
 * Asks the holders of a lock to release it, by writing to their nodes, which they watch. Nodes that
 * no process watches are left alone.
 *
 * @returns how many holders were asked
 * @throws {ZooKeeperError} the error of `wait` once that is over
 */
export async function revokeHolders(
  context: QueueContext,
  lease: SessionLease,
  directory: string,
  wait: Wait,
): Promise<number> {
  const { session, directories, dialect } = context;
  await session.sync(lease, directory);
  const queue = await directories.queueIn(lease, directory, dialect);
  const last = holdersOf(queue).at(-1)?.sequence ?? -1;
  const waiter = queue.findIndex(({ sequence }) => sequence > last);
  // A writer that also reads has two nodes with the same number; either may be removed meanwhile.
  const held = waiter === -1 ? queue : queue.slice(0, waiter);
  const asked = new Set<number>();
  // It skips holders that would not understand the request.
  const ask = async (node: QueueNode): Promise<void> => {
    const found = await FoundNode.read(context, lease, directory, node);
    const data = found && revokeRequest(node.name, found.content);
    if (!data || found.lacksGuard) return;
    wait.throwIfOver();
    await found.set(lease, data, wait, found.content.stat.version);
    asked.add(node.sequence);
  };
  // The data have changed in the meantime, for example because the lock was broken.
  const mayAskAgain = (error: unknown, failed: number): boolean =>
    hasReturnCode(error, ReturnCode.badVersion) && failed < ATTEMPTS;
  for (let from = 0; from < held.length; from += ASKED_TOGETHER) {
    const asking = held.slice(from, from + ASKED_TOGETHER).map((node) =>
      orIfGone(
        tryAgain(() => ask(node), mayAskAgain),
        undefined,
      ),
    );
    await Promise.all(asking);
  }
  return asked.size;
}
