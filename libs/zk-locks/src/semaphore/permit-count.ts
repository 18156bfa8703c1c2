import {
  askOrMake,
  ensureNode,
  orIfGone,
  parentOf,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';
import { SharedCountError } from '../lock/lock-errors.js';
import type { PermitCount } from '../options/permit-options.js';
import { explainRefusal } from '../queue/wait.js';
import type { Directories } from '../queue/directories.js';

/**
 * The current number of permits.
 *
 * @param options `watch` sets a watch on a shared count. If there is no count yet, the result is
 * the seed, which is written first if there are `directories`
 * @throws {SharedCountError} {@link LockAccessError}
 */
export async function readCount(
  session: Session,
  lease: SessionLease,
  count: PermitCount,
  { watch = false, directories }: { watch?: boolean; directories?: Directories } = {},
): Promise<number> {
  if (count.kind === 'fixed') return count.permits;
  const { path, seed } = count;
  return explainRefusal(session, path, () => {
    const read = async (): Promise<number> =>
      parseCount(path, (await session.get(lease, path, { watch })).data);
    if (!directories) return orIfGone(read(), seed);
    return askOrMake(read, () => createCount(session, directories, lease, path, seed));
  });
}

/** @throws {LockAccessError} */
export async function writeCount(
  session: Session,
  directories: Directories,
  lease: SessionLease,
  path: string,
  permits: number,
): Promise<void> {
  await explainRefusal(session, path, () =>
    askOrMake(
      () => session.set(lease, path, formatCount(permits)),
      () => createCount(session, directories, lease, path, permits),
    ),
  );
}

/** Does nothing if the count exists. */
async function createCount(
  session: Session,
  directories: Directories,
  lease: SessionLease,
  path: string,
  permits: number,
): Promise<void> {
  const directory = parentOf(path);
  await askOrMake(
    () => ensureNode(session, lease, path, formatCount(permits), 'persistent'),
    // Its parents must not vanish: the count outlives the processes that use it.
    () => directories.create(lease, directory, directory),
  );
}

/** The format of Curator's `SharedCount`: four bytes, the highest first. */
export function formatCount(permits: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeInt32BE(permits);
  return data;
}

/** @throws {SharedCountError} */
export function parseCount(path: string, data: Buffer): number {
  if (data.length === 4) return data.readInt32BE();
  throw new SharedCountError(path, `it contains ${data.length} bytes, and a count has 4`);
}
