import { randomUUID } from 'node:crypto';
import { join, nameOf, parentOf } from '../client/node-path.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { isConnectionError } from '../client/client-errors.js';
import type { LockMode } from '../lock.js';
import type { Dialect } from '../queue/dialect.js';
import type { NodeRemover } from '../queue/node-remover.js';
import { ensureNode } from '../queue/restricted-node.js';

/**
 * A name for a node of the other mode in the same place of the queue: with the sequence number of the
 * node at `path`, as Curator gives it to the reader of a downgrade.
 */
export function twinOf(dialect: Dialect, path: string, mode: LockMode): string {
  const sequence = dialect.sequenceText(nameOf(path));
  return join(parentOf(path), dialect.nodePrefix(mode, randomUUID()) + sequence);
}

/** May be repeated when its answer was lost: nobody else has this name. */
export async function createTwin(
  { session, remover }: { readonly session: Session; readonly remover: NodeRemover },
  lease: SessionLease,
  twin: string,
  data: Buffer,
): Promise<void> {
  remover.nodes.reserve(lease, twin);
  try {
    await ensureNode(session, lease, twin, data, 'ephemeral');
  } catch (error) {
    if (isConnectionError(error)) remover.doubt(lease, twin);
    else remover.nodes.remove(lease, twin);
    throw error;
  }
}
