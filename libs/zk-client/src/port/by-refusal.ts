import { hasReturnCode, ReturnCode } from './client-errors.js';

/** Each heartbeat of a session in use deletes it. Below `/zookeeper`, where clients create no nodes. */
export const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

const NO_SUCH_VERSION = 0x7fffffff;

/** A transaction without effect: deletes a node that does not exist. */
export async function proveBy(remove: (path: string) => Promise<void>): Promise<void> {
  try {
    await remove(NO_SUCH_NODE);
  } catch (error) {
    // The refusal is a transaction like any other: proposed by the leader, logged by a quorum.
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
  }
}

/** Whether this client may write to a node: by a write that expects a version which no node has. */
export async function canWriteBy(write: (version: number) => Promise<unknown>): Promise<boolean> {
  try {
    // The server checks the ACL before the version.
    await write(NO_SUCH_VERSION);
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noAuth)) return false;
    if (!hasReturnCode(error, ReturnCode.badVersion)) throw error;
  }
  return true;
}
