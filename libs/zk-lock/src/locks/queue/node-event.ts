import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import type { NodeEvent } from '../../client/zookeeper-client.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { OwnNode } from './own-node.js';
import { SessionOverError } from './persist.js';
import type { Wait } from './wait.js';

/**
 * Resolves when the node at `path` is gone, or has changed: the queue has to be looked at again. So
 * it does when `own` is gone. `onGone` is called in the turn in which ZooKeeper tells of a deletion.
 * Sets the watch by `get`, not `exists`: a watch on an absent node would stay on the server.
 */
export async function nodeEvent(
  session: Session,
  lease: SessionLease,
  path: string,
  wait: Wait,
  { own, onGone }: { own?: OwnNode; onGone?: () => void } = {},
): Promise<void> {
  const stops: (() => void)[] = [];
  const event = new Promise<void>((resolve, reject) => {
    const setWatch = async (): Promise<void> => {
      try {
        await session.get(lease, path, { watch: true });
      } catch (error) {
        if (hasReturnCode(error, ReturnCode.noNode)) resolve();
        // A lost connection is followed by a gap or by the session's end.
        else if (error instanceof Error && !isConnectionError(error)) reject(error);
      }
    };
    const onEvent = (kind: NodeEvent | 'gap'): void => {
      if (kind === 'deleted') onGone?.();
      if (kind === 'gap') void setWatch();
      else resolve();
    };
    stops.push(session.watch(path, onEvent));
    stops.push(lease.onEnd(() => reject(new SessionOverError())));
    void setWatch();
    own?.keepFor({ onLost: () => resolve(), onRevoked: () => undefined });
    own?.confirm().then((czxid) => czxid === undefined && resolve(), reject);
  });
  try {
    await wait.for(event);
  } finally {
    for (const stop of stops) stop();
  }
}
