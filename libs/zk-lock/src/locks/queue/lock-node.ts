import { randomUUID } from 'node:crypto';
import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import { join, parentOf } from '../../client/node-path.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { DirectoryLists } from './directory-lists.js';
import { persist, untilReconnected } from './persist.js';

/** A contender's znode, and the children of its directory as they were just after it was created. */
export interface CreatedNode {
  readonly path: string;
  /** Undefined where the list's answer was lost. */
  readonly names: string[] | undefined;
}

export interface NodePlace {
  readonly directory: string;
  /** For people who look at the queue: who is it? */
  readonly data: Buffer;
  /** The name up to the sequence number, around a GUID that is new for each attempt. */
  readonly prefix: (guid: string) => string;
  /** Directories down to this one exist for good; those below vanish when empty. */
  readonly chroot: string;
  /** Asked before the directory is created; throws where it must not be. */
  readonly checkGround?: (lease: SessionLease) => Promise<void>;
}

/**
 * Creates a contender's ephemeral sequential znode, exactly one, also when the answer is lost: the
 * GUID in its name tells it from all others (Curator's "protected mode", ZOOKEEPER-22).
 *
 * @throws {SessionOverError} when the session ends first; the node is gone with it
 * @throws {ZooKeeperError} the server's own refusal
 */
export async function createLockNode(
  session: Session,
  lists: DirectoryLists,
  lease: SessionLease,
  place: NodePlace,
): Promise<CreatedNode> {
  const name = place.prefix(randomUUID());
  const prefix = join(place.directory, name);
  for (;;) {
    try {
      // One round trip for both: the server answers a session's requests in order.
      const creating = session.create(lease, prefix, place.data, 'ephemeral-sequential');
      const listing = lists.list(lease, place.directory).catch(() => undefined);
      return { path: await creating, names: await listing };
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) {
        await persist(session, lease, async () => {
          await place.checkGround?.(lease);
          await createDirectory(session, lease, place);
        });
      } else if (isConnectionError(error)) {
        await untilReconnected(session, lease);
        const path = await findByPrefix(session, lists, lease, place.directory, name);
        if (path !== undefined) return { path, names: undefined };
      } else {
        throw error;
      }
    }
  }
}

/** After a reconnect: `sync` waits for whatever the lost connection had sent to the leader. */
async function findByPrefix(
  session: Session,
  lists: DirectoryLists,
  lease: SessionLease,
  directory: string,
  prefix: string,
): Promise<string | undefined> {
  const names = await persist(session, lease, async () => {
    await session.sync(lease, directory);
    return lists.list(lease, directory);
  });
  const name = names.find((candidate) => candidate.startsWith(prefix));
  return name === undefined ? undefined : join(directory, name);
}

/** Again from the top where a parent is missing: an empty container may vanish at any time. */
export async function createDirectory(
  session: Session,
  lease: SessionLease,
  { directory, chroot }: Pick<NodePlace, 'directory' | 'chroot'>,
): Promise<void> {
  const isPermanent = chroot === directory || chroot.startsWith(`${directory}/`);
  try {
    await createEmpty(session, lease, directory, isPermanent ? 'persistent' : 'container');
  } catch (error) {
    if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
    await createDirectory(session, lease, { directory: parentOf(directory), chroot });
    await createDirectory(session, lease, { directory, chroot });
  }
}

async function createEmpty(
  session: Session,
  lease: SessionLease,
  path: string,
  mode: 'persistent' | 'container',
): Promise<void> {
  try {
    await session.create(lease, path, Buffer.alloc(0), mode);
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.nodeExists)) return;
    // Servers before 3.5 have no containers.
    if (mode === 'persistent' || !hasReturnCode(error, ReturnCode.unimplemented)) throw error;
    await createEmpty(session, lease, path, 'persistent');
  }
}
