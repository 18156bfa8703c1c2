import { randomUUID } from 'node:crypto';
import { join, parentOf } from '../../client/node-path.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { LockMode } from '../lock.js';
import type { Dialect } from '../queue/dialect.js';
import { ensureNode } from '../queue/restricted-node.js';

/**
 * A name for a node of the other mode in the same place of the queue: with the sequence number of the
 * node at `path`, as Curator gives it to the reader of a downgrade.
 */
export function twinOf(dialect: Dialect, path: string, mode: LockMode): string {
  const directory = parentOf(path);
  const sequence = dialect.sequenceText(path.slice(directory.length + 1));
  return join(directory, dialect.nodePrefix(mode, randomUUID()) + sequence);
}

/** May be repeated when its answer was lost: nobody else has this name. */
export function createTwin(
  session: Session,
  lease: SessionLease,
  twin: string,
  data: Buffer,
): Promise<void> {
  return ensureNode(session, lease, twin, data, 'ephemeral');
}
