import { hasReturnCode, isConnectionError, ReturnCode } from '../port/client-errors.js';
import { join, nameOf, parentOf } from '../port/node-path.js';
import type { Created, CreateMode } from '../port/zookeeper-client.js';
import type { SessionLease } from '../session/session-lease.js';
import type { SessionRequests } from '../session/session-requests.js';
import { retryDelay, type Wait } from '../session/wait.js';
import { retryUntilAnswered, untilReconnected } from './ask.js';
import type { NodeRemover } from './node-remover.js';
import { countNode, makeRoom, reserveNode, uncountNode } from './session-nodes.js';

/** What creations need. */
export interface Creator {
  readonly session: Pick<SessionRequests, 'create' | 'sync' | 'whenReconnected'>;
  readonly remover: Pick<NodeRemover, 'expectLate'>;
  readonly lists: { list(lease: SessionLease, directory: string): Promise<string[]> };
}

/** One attempt at a creation. */
export interface Attempt<T> {
  /** With a name that no other attempt has; a sequence number may follow. */
  readonly path: string;
  /** What counts towards the limit of the session's nodes while it is under way. @default the path */
  readonly counted?: string;
  readonly send: () => Promise<T>;
  /** Looks for what it was to create; undefined where that is not to be seen. */
  readonly find: () => Promise<T | undefined>;
  /** Without it, the creation fails where a directory is missing. */
  readonly makeDirectory?: ((missing: string) => Promise<void>) | undefined;
  /** Its answer is lost, and it goes on once there is a connection. */
  readonly onUnanswered?: (() => void) | undefined;
  /** Removes what it creates late. @default the node */
  readonly removeLate?: () => void;
}

/**
 * Creates exactly once, also where answers are lost: each attempt has a name of its own, by which it is
 * found (Curator's "protected mode", ZOOKEEPER-22). One that is not found is given up, and removed should
 * it come late.
 *
 * @param wait no further attempt is made when it is over
 * @throws the error of `wait` once that is over
 * @throws {SessionOverError} when the session ends first; the node is gone with it
 * @throws {ZooKeeperError} the server's own refusal
 */
export async function createForCertain<T>(
  { session, remover }: Pick<Creator, 'session' | 'remover'>,
  lease: SessionLease,
  newAttempt: () => Attempt<T>,
  wait?: Wait,
): Promise<T> {
  for (let failed = 0; ; failed++) {
    if (failed > 0) await retryDelay(failed, wait);
    const { path, counted = path, send, find, ...attempt } = newAttempt();
    const { makeDirectory, onUnanswered, removeLate } = attempt;
    const room = makeRoom(lease, counted);
    // In this turn where it can be: callers rely on the order of what they send.
    if (room) await room;
    reserveNode(lease, counted);
    try {
      return await send();
    } catch (error) {
      if (isConnectionError(error)) {
        onUnanswered?.();
        await untilReconnected(session, lease);
        const found = await retryUntilAnswered(session, lease, () =>
          findBehind(session.sync(lease, path), find()),
        );
        if (found !== undefined) return found;
        remover.expectLate(lease, parentOf(path), nameOf(path), removeLate);
      } else if (makeDirectory && hasReturnCode(error, ReturnCode.noNode)) {
        const missing = parentOf(error.path);
        await retryUntilAnswered(session, lease, () => makeDirectory(missing));
      } else {
        throw error;
      }
    } finally {
      uncountNode(lease, counted);
    }
  }
}

/** `sync` waits for what a lost connection had sent, as far as that is on its way. */
async function findBehind<T>(synced: Promise<void>, found: Promise<T>): Promise<T> {
  await Promise.all([synced, found]);
  return found;
}

/** One ephemeral node. */
export interface NewNode extends Pick<Attempt<Created>, 'makeDirectory' | 'onUnanswered'> {
  readonly directory: string;
  readonly mode: 'ephemeral' | 'ephemeral-sequential';
  /** A name that no other node has; a sequence number may follow. */
  readonly newName: () => string;
  readonly data: string;
  /** See {@link ZooKeeperClient.create}. */
  readonly rank?: number | undefined;
  /**
   * Called whenever its creation was sent, or has been found executed: what is sent then is answered
   * behind it.
   */
  readonly onSent?: (() => void) | undefined;
}

/** {@link createForCertain} of one node. Its czxid is unknown where its answer was lost. */
export async function createNode(
  creator: Creator,
  lease: SessionLease,
  node: NewNode,
  wait?: Wait,
): Promise<Created> {
  const { session, lists } = creator;
  const { directory, mode, rank, onSent, makeDirectory, onUnanswered } = node;
  const newAttempt = (): Attempt<Created> => {
    const name = node.newName();
    const path = join(directory, name);
    return {
      ...{ path, makeDirectory, onUnanswered },
      send: () => session.create(lease, path, Buffer.from(node.data), mode, { rank, onSent }),
      find: async () => {
        const names = await lists.list(lease, directory);
        const found = names.find((candidate) => candidate.startsWith(name));
        if (found === undefined) return undefined;
        // What was asked since may have been answered by a server that did not know of it yet.
        onSent?.();
        return { path: join(directory, found), czxid: undefined };
      },
    };
  };
  const created = await createForCertain(creator, lease, newAttempt, wait);
  countNode(lease, created.path);
  return created;
}

/**
 * Makes sure that there is a node of this name. May be repeated when an answer was lost.
 *
 * @returns whether this call is known to have created it
 */
export async function ensureNode(
  session: Pick<SessionRequests, 'create'>,
  lease: SessionLease,
  path: string,
  data: Buffer,
  mode: Exclude<CreateMode, 'ephemeral-sequential'>,
): Promise<boolean> {
  try {
    await session.create(lease, path, data, mode);
    return true;
  } catch (error) {
    if (!hasReturnCode(error, ReturnCode.nodeExists)) throw error;
    return false;
  }
}
