import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import { join } from '../../client/node-path.js';
import type { NodeEvent } from '../../client/zookeeper-client.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { Dialect } from './dialect.js';
import { type CreatedNode, createLockNode, type Ground, type NodePlace } from './lock-node.js';
import { aheadOf, type WaitsFor } from './lock-queue.js';
import type { NodeReaper } from './node-reaper.js';
import { OwnNode } from './own-node.js';
import { pauseBefore } from './patience.js';
import { persist, SessionOverError } from './persist.js';
import type { Wait } from './wait.js';

export interface Queue extends Ground {
  readonly reaper: NodeReaper;
  readonly dialect: Dialect;
  readonly waitsFor: WaitsFor;
  readonly place: NodePlace;
}

/**
 * Makes of a contender's node, whose turn it is, what the contender wanted it for, and takes it over
 * with its watch. Undefined where the node turns out to be gone.
 */
export type Claim<T> = (own: OwnNode) => Promise<T | undefined>;

/**
 * Queues up until it is this contender's turn, and then `claim`s its node.
 *
 * A contender whose node is gone queues up anew, as it does when its session ends while it waits.
 * However this call ends, other than by returning what `claim` made of the node, the node is removed.
 *
 * @throws the error of `wait` once that is over
 * @throws {ZooKeeperError} the server's refusal
 */
export async function acquire<T>(queue: Queue, wait: Wait, claim: Claim<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    await pauseBefore(attempt, wait.signal);
    const lease = await queue.session.whenConnected(wait.signal);
    try {
      const claimed = await takeTurn(queue, lease, wait, claim);
      if (claimed !== undefined) return claimed;
    } catch (error) {
      if (!(error instanceof SessionOverError)) throw error;
    }
  }
}

/** Whether a newcomer would have to wait, by one read that leaves no trace. */
export async function isBusy(queue: Queue, lease: SessionLease): Promise<boolean> {
  const { lists, dialect, waitsFor, place } = queue;
  const names = await lists.list(lease, place.directory);
  return waitsFor(dialect.parse(place.directory, names)) !== undefined;
}

async function takeTurn<T>(
  queue: Queue,
  lease: SessionLease,
  wait: Wait,
  claim: Claim<T>,
): Promise<T | undefined> {
  const { session, reaper } = queue;
  const { path, names, secured } = await joinQueue(queue, lease, wait);
  const own = new OwnNode({ session, lease, path });
  let claimed: T | undefined;
  try {
    const isFirst = await awaitTurn(queue, own, wait, names);
    if (isFirst) claimed = await wait.for(unlessRefused(claim(own), secured));
    return claimed;
  } finally {
    if (claimed === undefined) {
      own.abandon();
      void reaper.remove(lease, path);
    }
  }
}

/** The claim's requests were sent behind those that secure the node: there is nothing to wait for. */
function unlessRefused<T>(claiming: Promise<T>, secured?: Promise<void>): Promise<T> {
  return secured ? Promise.all([claiming, secured]).then(([claimed]) => claimed) : claiming;
}

/**
 * Creates a contender's node; it is removed when `wait` ends before it is there. Ends `wait` where it
 * cannot be restricted.
 */
export async function joinQueue(
  queue: Queue,
  lease: SessionLease,
  wait: Wait,
): Promise<CreatedNode> {
  const creating = createLockNode(queue, lease, queue.place, wait.signal);
  const created = await wait.for(creating).catch((error: unknown) => {
    queue.reaper.adopt(lease, creating);
    throw error;
  });
  created.secured?.catch((error: unknown) => wait.stop(error as Error));
  return created;
}

/**
 * True when nobody ahead keeps this node waiting; false when the node is gone from the queue.
 *
 * A node that has to wait is read, and watched, beside the one that it waits for: so nothing but the
 * queue is left to be looked at when that has gone, and its own deletion ends the wait at once.
 */
async function awaitTurn(
  { session, lists, dialect, waitsFor, place: { directory } }: Queue,
  own: OwnNode,
  wait: Wait,
  namesAtStart: string[] | undefined,
): Promise<boolean> {
  const { lease } = own;
  const ownName = own.path.slice(directory.length + 1);
  const list = (): Promise<string[]> => persist(session, lease, () => lists.list(lease, directory));
  let names = namesAtStart ?? (await wait.for(list()));
  for (;;) {
    const ahead = aheadOf(dialect.parse(directory, names), ownName);
    if (!ahead) return false;
    const blocker = waitsFor(ahead);
    if (!blocker) return true;
    wait.blocked();
    wait.signal.throwIfAborted();
    await nodeEvent(session, lease, join(directory, blocker.name), wait, own);
    if (own.isLost) return false;
    names = await wait.for(list());
  }
}

/**
 * Resolves when the node at `path` is gone, or has changed: the queue has to be looked at again. So
 * it does when `own` is gone.
 * Sets the watch by `get`, not `exists`: a watch on an absent node would stay on the server.
 */
export async function nodeEvent(
  session: Session,
  lease: SessionLease,
  path: string,
  wait: Wait,
  own?: OwnNode,
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
    const onEvent = (kind: NodeEvent | 'gap'): void =>
      kind === 'gap' ? void setWatch() : resolve();
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
