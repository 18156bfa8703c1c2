import { randomUUID } from 'node:crypto';
import { hasReturnCode, ReturnCode } from './client-errors.js';

/**
 * A transaction without effect: it tries to delete a node that does not exist. No other client can
 * create its parent, whose name is new each time: with an ACL there, some servers would refuse the
 * deletion by themselves (`enableEagerACLCheck`).
 */
export async function proveBy(remove: (path: string) => Promise<void>): Promise<void> {
  try {
    await remove(`/zookeeper/${randomUUID()}/none`);
  } catch (error) {
    // The refusal is a transaction like any other: proposed by the leader, and logged by a quorum.
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
  }
}
