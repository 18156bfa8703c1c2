import { LockTree } from 'zk-locks/inspect';
import { loggerOf } from './connection.js';
import type { FlagValues } from './flags.js';
import { readSettings } from './settings.js';

/**
 * Runs `work` with all keys below the root, over a session that writes nothing, and ends that.
 *
 * @throws {ZooKeeperUnavailableError} without an answer within `--connect-timeout`
 */
export async function withTree<T>(
  flags: FlagValues,
  work: (tree: LockTree) => Promise<T>,
): Promise<T> {
  const tree = await LockTree.open(readSettings(flags), loggerOf(flags));
  try {
    return await work(tree);
  } finally {
    await tree.close();
  }
}
