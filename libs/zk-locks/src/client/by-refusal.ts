import { hasReturnCode, ReturnCode } from './client-errors.js';

/** Deleted by each heartbeat of a session in use. Below `/zookeeper`, where no client creates nodes. */
export const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

const NO_SUCH_VERSION = 0x7fffffff;

/** A transaction without effect: deletes what is not there. */
export async function proveBy(remove: (path: string) => Promise<void>): Promise<void> {
  try {
    await remove(NO_SUCH_NODE);
  } catch (error) {
    // The refusal is a transaction like any other: proposed by the leader, logged by a quorum.
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
  }
}

/** Whether one may write to a node, by a write to a version that it never has. */
export async function canWriteBy(write: (version: number) => Promise<unknown>): Promise<boolean> {
  try {
    // The server looks at the ACL first, and then at the version.
    await write(NO_SUCH_VERSION);
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noAuth)) return false;
    if (!hasReturnCode(error, ReturnCode.badVersion)) throw error;
  }
  return true;
}
