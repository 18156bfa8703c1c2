import { hasReturnCode, ReturnCode } from './client-errors.js';

/**
 * Each heartbeat of a session in use tries to delete it. It is below `/zookeeper`, where clients
 * create no nodes.
 */
export const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

/** A transaction without effect: it tries to delete a node that does not exist. */
export async function proveBy(remove: (path: string) => Promise<void>): Promise<void> {
  try {
    await remove(NO_SUCH_NODE);
  } catch (error) {
    // The refusal is a transaction like any other: proposed by the leader, and logged by a quorum.
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
  }
}
