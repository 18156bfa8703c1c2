import { hasReturnCode, ReturnCode } from './client-errors.js';

/** Below `/zookeeper`, where nobody creates nodes. */
const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

/** A transaction without effect: deletes what is not there. */
export async function proveBy(remove: (path: string) => Promise<void>): Promise<void> {
  try {
    await remove(NO_SUCH_NODE);
  } catch (error) {
    // The refusal is a transaction like any other: proposed by the leader, logged by a quorum.
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
  }
}
