import { hasReturnCode, ReturnCode } from './client-errors.js';

/**
 * Each heartbeat of a session in use tries to delete it. It is below `/zookeeper`, where clients
 * create no nodes.
 */
const NO_SUCH_NODE = '/zookeeper/nestjs-zk-lock/none';

/** A version that no node has. */
export const NO_SUCH_VERSION = 0x7fffffff;

/** Any client may create the node, with an ACL or children. */
const REFUSALS = [
  ReturnCode.noNode,
  ReturnCode.noAuth,
  ReturnCode.badVersion,
  ReturnCode.notEmpty,
] as const;

/**
 * A transaction without effect: it tries to delete a node that does not exist, or is not in this
 * version.
 */
export async function proveBy(
  remove: (path: string, version: number) => Promise<void>,
): Promise<void> {
  try {
    await remove(NO_SUCH_NODE, NO_SUCH_VERSION);
  } catch (error) {
    // A refusal is a transaction like any other: proposed by the leader, and logged by a quorum.
    if (!REFUSALS.some((code) => hasReturnCode(error, code))) throw error;
  }
}
