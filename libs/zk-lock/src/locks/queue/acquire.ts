import { hasReturnCode, isConnectionError, ReturnCode } from '../../client/client-errors.js';
import { join } from '../../client/node-path.js';
import type { NodeEvent } from '../../client/zookeeper-client.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import type { Dialect } from './dialect.js';
import { type CreatedNode, createLockNode, type Ground, type NodePlace } from './lock-node.js';
import { aheadOf, type QueueNode, type WaitsFor } from './lock-queue.js';
import type { NodeReaper } from './node-reaper.js';
import { OwnNode } from './own-node.js';
import { pauseBefore } from './patience.js';
import { persist, SessionOverError } from './persist.js';
import type { SeenQueue, SeenQueues } from './seen-queues.js';
import type { Wait } from './wait.js';

export interface Queue extends Ground {
  readonly reaper: NodeReaper;
  readonly seen: SeenQueues;
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
  using seen = queue.seen.enter(lease, queue.place.directory, queue.dialect.hasReaders);
  const { own, standing, secured } = await standInQueue(queue, lease, wait, seen.queue);
  let claimed: T | undefined;
  try {
    const isFirst = await awaitTurn(queue, own, wait, seen.queue, standing);
    if (isFirst) claimed = await wait.for(unlessRefused(claim(own), secured));
    return claimed;
  } finally {
    if (claimed === undefined) discard(queue, own);
  }
}

function discard({ reaper }: Queue, own: OwnNode): void {
  own.abandon();
  void reaper.remove(own.lease, own.path);
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

/** Whom a contender waits for; `first` where it is its turn, `gone` where it is not in the queue. */
type Standing = QueueNode | 'first' | 'gone';

interface InQueue {
  readonly own: OwnNode;
  /** Undefined where the list's answer was lost. */
  readonly standing: Standing | undefined;
  readonly secured: Promise<void> | undefined;
}

/** Nobody else keeps the names: each of ten thousand waiters would have thousands of its own. */
async function standInQueue(
  queue: Queue,
  lease: SessionLease,
  wait: Wait,
  seen: SeenQueue,
): Promise<InQueue> {
  const { path, czxid, names, secured } = await joinQueue(queue, lease, wait);
  // The list shows whether it was there a moment later.
  const own = new OwnNode({ session: queue.session, lease, path, czxid: names && czxid });
  try {
    return { own, standing: names && standingIn(queue, own, seen, names), secured };
  } catch (error) {
    discard(queue, own);
    throw error;
  }
}

function standingIn(
  { dialect, waitsFor, place: { directory } }: Queue,
  { name }: OwnNode,
  seen: SeenQueue,
  names: readonly string[],
): Standing {
  const nodes = dialect.parse(directory, names);
  seen.saw(nodes);
  const ahead = aheadOf(nodes, name);
  return ahead ? (waitsFor(ahead) ?? 'first') : 'gone';
}

/**
 * True when nobody ahead keeps this node waiting; false when the node is gone from the queue.
 *
 * A node that has to wait is read, and watched, beside the one that it waits for: so nothing but the
 * queue is left to be looked at when that has gone, and its own deletion ends the wait at once.
 */
async function awaitTurn(
  queue: Queue,
  own: OwnNode,
  wait: Wait,
  seen: SeenQueue,
  standingAtStart: Standing | undefined,
): Promise<boolean> {
  const { session, lists, place, reaper } = queue;
  const { lease } = own;
  const { directory } = place;
  const look = async (): Promise<Standing> => {
    const listing = persist(session, lease, () => lists.list(lease, directory));
    return standingIn(queue, own, seen, await wait.for(listing));
  };
  let standing = standingAtStart ?? (await look());
  while (typeof standing === 'object') {
    wait.blocked();
    wait.signal.throwIfAborted();
    const blocker: QueueNode = standing;
    const path = join(directory, blocker.name);
    const onGone = (): void => seen.left(blocker, reaper.removesForGood(path));
    await nodeEvent(session, lease, path, wait, { own, onGone });
    if (own.isLost) return false;
    if (own.isConfirmed && seen.isFirst(own.name)) return true;
    standing = await look();
  }
  return standing === 'first';
}

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
