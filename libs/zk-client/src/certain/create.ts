import { hasReturnCode, isConnectionError, ReturnCode } from '../port/client-errors.js';
import { join, nameOf, parentOf } from '../port/node-path.js';
import type { Created, CreateMode } from '../port/zookeeper-client.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Caller, SessionRequests } from '../session/session-requests.js';
import { retryDelay, type Wait } from '../session/wait.js';
import { retryUntilAnswered, untilReconnected } from './ask.js';
import type { NodeRemover } from './node-remover.js';
import { countNode, reserveNode, uncountNode } from './session-nodes.js';

/** As long as the number that a server appends, which is not known before. */
const ANY_NUMBER = '0'.repeat(10);

export interface Creator {
  readonly session: Pick<SessionRequests, 'create' | 'lockAcl' | 'sync' | 'whenReconnected'>;
  readonly remover: Pick<NodeRemover, 'expectLate'>;
  readonly directories: {
    /** Returns the child whose name begins with `beginning`, or undefined. */
    find(lease: SessionLease, directory: string, beginning: string): Promise<string | undefined>;
  };
}

/** One attempt to create something. */
export interface Attempt<T> {
  /** Its name is different in every attempt; a sequence number may follow. */
  readonly path: string;
  /** Counts towards the limit of the session's nodes during the attempt. @default the path */
  readonly counted?: string;
  readonly send: () => Promise<T>;
  /** Looks for what the attempt created; undefined if it is not visible. */
  readonly find: () => Promise<T | undefined>;
  /** Without it, the creation fails if a directory is missing. */
  readonly makeDirectory?: ((missing: string) => Promise<void>) | undefined;
  /** Called when the answer is lost. The creation continues when there is a connection. */
  readonly onUnanswered?: (() => void) | undefined;
  /** Removes what the attempt creates late. @default removes the node */
  readonly removeLate?: () => void;
}

/**
 * Creates exactly once, even if answers are lost: each attempt uses a name of its own, by which it
 * is found (Curator's "protected mode", ZOOKEEPER-22). An attempt that is not found is given up,
 * and removed if it appears late.
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
    const attempt = newAttempt();
    const { path, counted = path, makeDirectory } = attempt;
    const room = reserveNode(lease, counted);
    // In this turn where it can be: callers rely on the order of what they send.
    if (room) await room;
    try {
      return await attempt.send();
    } catch (error) {
      if (isConnectionError(error)) {
        attempt.onUnanswered?.();
        await untilReconnected(session, lease);
        const giveUp = (): void =>
          remover.expectLate(lease, parentOf(path), nameOf(path), attempt.removeLate);
        const found = await retryUntilAnswered(session, lease, () =>
          findBehind(session.sync(lease, path), attempt.find()),
        ).catch((error: unknown) => {
          // The node may be there. Where an ACL hides it now, that may change.
          giveUp();
          throw error;
        });
        if (found !== undefined) return found;
        giveUp();
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

/** `sync` waits for requests of a lost connection that are still on their way. */
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
   * Called whenever its creation was sent, or was found to be executed: requests sent at that
   * moment are answered after it.
   */
  readonly onSent?: (() => void) | undefined;
}

/** Like {@link createForCertain}, for one node. Its czxid is unknown if its answer was lost. */
export function createNode(
  creator: Creator,
  lease: SessionLease,
  node: NewNode,
  wait?: Wait,
): Promise<Created> {
  const { session, directories } = creator;
  const { directory, mode, rank, onSent, makeDirectory, onUnanswered } = node;
  const options = { acl: session.lockAcl, rank, onSent, caller: wait };
  const newAttempt = (): Attempt<Created> => {
    const name = node.newName();
    const path = join(directory, name);
    return {
      path,
      ...(mode === 'ephemeral-sequential' && { counted: path + ANY_NUMBER }),
      makeDirectory,
      onUnanswered,
      send: () => session.create(lease, path, Buffer.from(node.data), mode, options),
      find: async () => {
        const found = await directories.find(lease, directory, name);
        if (found === undefined) return undefined;
        // Earlier requests may have been answered by a server that did not know the node yet.
        onSent?.();
        return { path: join(directory, found), czxid: undefined };
      },
    };
  };
  return createForCertain(creator, lease, newAttempt, wait).then((created) => {
    countNode(lease, created.path);
    return created;
  });
}

/**
 * Ensures that a node of this name exists. May be repeated if an answer was lost.
 *
 * @returns whether this call is known to have created it
 */
export async function ensureNode(
  session: Pick<SessionRequests, 'create'>,
  lease: SessionLease,
  path: string,
  data: Buffer,
  mode: Exclude<CreateMode, 'ephemeral-sequential'>,
  caller?: Caller,
): Promise<boolean> {
  try {
    await session.create(lease, path, data, mode, { caller });
    return true;
  } catch (error) {
    if (!hasReturnCode(error, ReturnCode.nodeExists)) throw error;
    return false;
  }
}
