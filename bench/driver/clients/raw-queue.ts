import { OpCode } from 'zk-protocol';
import type { PipelinedSession } from './pipelined-session.js';

/**
 * Waits by ZooKeeper's published recipe until a node is the first of its directory. Lost answers,
 * timeouts and expired sessions are not handled.
 *
 * @param created the path of the node, whose creation may be under way
 */
export async function becomeFirst(
  session: PipelinedSession,
  directory: string,
  created: Promise<string>,
): Promise<void> {
  let listed = list(session, directory);
  const own = (await created).slice(directory.length + 1);
  for (;;) {
    const names = await listed;
    const before = names[names.indexOf(own) - 1];
    if (before === undefined) return;
    const path = `${directory}/${before}`;
    const gone = session.deletionOf(path);
    const { err } = await session.ask(OpCode.exists, { path, watch: true });
    if (err === 'ok') await gone;
    listed = list(session, directory);
  }
}

/** The nodes of a directory in the order of their numbers. Their names do not differ otherwise. */
async function list(session: PipelinedSession, path: string): Promise<readonly string[]> {
  const { err, body } = await session.ask(OpCode.getChildren, { path, watch: false });
  if (!body) throw new Error(`getChildren ${path}: ${err}`);
  return body.children.toSorted();
}
