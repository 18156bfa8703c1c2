import { randomUUID } from 'node:crypto';
import { hasReturnCode, ReturnCode } from '../port/client-errors.js';
import { join, parentOf } from '../port/node-path.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { Access, AccessRefusal } from './access.js';
import { isHidden } from './session-attacher.js';
import type { SessionLease } from './session-lease.js';
import type { SessionRequests } from './session-requests.js';

/** About as much as a lock node has: without data, a quota of bytes refuses no node. */
const LOCK_NODE_BYTES = 256;

type Requests = Pick<SessionRequests, 'get' | 'transact'>;

/** Asks whether ZooKeeper permits again what it has refused, as {@link Access} says. Never rejects. */
export async function askForAccess(
  requests: Requests,
  lease: SessionLease,
  access: Access,
  root: string | undefined,
): Promise<void> {
  const { refusal } = access;
  if (!refusal) return;
  if (refusal.path !== root) {
    if (await isPermitted(requests, lease, refusal)) access.nodesPermitted(refusal);
    return;
  }
  const answer = await isHidden(requests.get(lease, root));
  if (answer !== undefined) access.rootRead(answer);
}

/**
 * Creates nothing, because the same node cannot be created twice. False also if there is no answer.
 *
 * @param directory where a lock node was refused: an ACL or a quota may be that of one key
 */
async function isPermitted(
  requests: Requests,
  lease: SessionLease,
  refusal: AccessRefusal,
  directory = refusal.path,
): Promise<boolean> {
  const data = Buffer.alloc(LOCK_NODE_BYTES);
  const path = join(directory, randomUUID());
  const node = { type: 'create', path, data, mode: 'ephemeral' } as const;
  try {
    await Promise.all([requests.get(lease, directory), requests.transact(lease, [node, node])]);
    return false;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noNode)) {
      return isPermitted(requests, lease, refusal, parentOf(directory));
    }
    // Where the client has no transactions, nothing is known of new nodes any more.
    const isUnknown = error instanceof ZkLockConfigError && refusal.code !== undefined;
    return isUnknown || hasReturnCode(error, ReturnCode.nodeExists);
  }
}
