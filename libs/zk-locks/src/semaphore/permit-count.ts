import {
  askOrMake,
  ensureNode,
  hasReturnCode,
  orIfGone,
  parentOf,
  ReturnCode,
  type Session,
  type SessionLease,
  type Wait,
  ZooKeeperError,
} from 'zk-client/recipes';
import { SharedCountError } from '../lock/lock-errors.js';
import type { PermitCount } from '../options/permit-options.js';
import { explainRefusal } from '../queue/wait.js';
import type { Directories } from '../queue/directories.js';
import type { QueueContext } from '../queue/lock-node.js';

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

/**
 * One change of a shared count, which may be asked for again if its answer is lost. It names the
 * version from before, so that it does not undo what others have written meanwhile. If they have,
 * their number counts as the later one.
 *
 * @returns a function that throws {@link LockAccessError}, or the error of `wait` once that is over
 */
export function changeOf(
  path: string,
  permits: number,
  { session, directories }: QueueContext,
): (lease: SessionLease, wait: Wait) => Promise<void> {
  let version: number | undefined;
  return (lease, wait) => {
    const make = (): Promise<void> => {
      wait.throwIfOver();
      // The version of the count that it, or another process, creates now.
      version = 0;
      return createCount(session, directories, lease, path, permits, wait);
    };
    const set = async (): Promise<void> => {
      version ??= await versionNow(session, lease, path);
      wait.throwIfOver();
      try {
        await session.set(lease, path, formatCount(permits), version, wait);
      } catch (error) {
        if (!hasReturnCode(error, ReturnCode.badVersion)) throw error;
      }
    };
    return explainRefusal(session, path, () => askOrMake(set, make));
  };
}

/** Not one from before the call, which a follower that lags behind may show. */
async function versionNow(session: Session, lease: SessionLease, path: string): Promise<number> {
  await session.sync(lease, path);
  const stat = await session.exists(lease, path);
  if (!stat) throw new ZooKeeperError(ReturnCode.noNode, 'exists', path);
  return stat.version;
}

/** Does nothing if the count exists. */
async function createCount(
  session: Session,
  directories: Directories,
  lease: SessionLease,
  path: string,
  permits: number,
  wait?: Wait,
): Promise<void> {
  const directory = parentOf(path);
  await askOrMake(
    () => ensureNode(session, lease, path, formatCount(permits), 'persistent', wait),
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
