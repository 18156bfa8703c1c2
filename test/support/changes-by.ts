import { InspectClient } from './inspect-client.js';
import { sharedServer } from './shared-server.js';

/**
 * The paths below a directory that `work` has changed: those of nodes that were created, deleted or
 * written, and of their parents, whose child versions change.
 */
export async function changesBy(directory: string, work: () => Promise<void>): Promise<string[]> {
  await using inspector = await InspectClient.connect(sharedServer().connectString);
  const look = async (): Promise<Map<string, string>> => {
    const paths = [directory, ...(await inspector.tree(directory))];
    const stats = paths.map(async (path) => JSON.stringify(await inspector.exists(path)));
    const seen = await Promise.all(stats);
    return new Map(paths.map((path, index) => [path, seen[index] ?? '']));
  };
  const before = await look();
  await work();
  const after = await look();
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path));
}
