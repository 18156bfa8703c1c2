import { LockTree } from 'zk-locks/inspect';
import { loggerOf } from './connection.js';
import type { FlagValues } from './flags.js';
import { readSettings } from './settings.js';

/**
 * Runs `work` with all keys below the root, on a session that writes nothing, and ends the session.
 *
 * @param interrupted ends it at once, even while ZooKeeper does not answer
 * @throws {ZooKeeperUnavailableError} without an answer within `--connect-timeout`
 */
export async function withTree<T>(
  flags: FlagValues,
  work: (tree: LockTree) => Promise<T>,
  interrupted?: AbortSignal,
): Promise<T> {
  const tree = new LockTree(readSettings(flags), loggerOf(flags));
  interrupted?.addEventListener('abort', () => void tree.close(), { once: true });
  try {
    tree.start();
    await tree.read();
    return await work(tree);
  } finally {
    await tree.close();
  }
}
