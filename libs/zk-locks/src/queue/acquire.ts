import type { SessionLease } from '../session/session-lease.js';
import type { LockMode } from '../lock.js';
import type { Dialect } from './dialect.js';
import type { KeyQueues } from './key-queues.js';
import type { NodePlace } from './lock-node.js';
import type { QueueNode } from './lock-queue.js';
import type { OwnNode } from './own-node.js';
import type { QueueContext } from './queue-context.js';
import { retryDelay, SessionOverError } from './retry.js';
import type { Wait } from './wait.js';

export interface Queue {
  readonly context: QueueContext;
  readonly queues: KeyQueues;
  readonly dialect: Dialect;
  /** As which its nodes stand in the queue. */
  readonly mode: LockMode;
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
  const { session } = queue.context;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await retryDelay(attempt, wait);
    wait.throwIfOver();
    const lease = session.connectedLease ?? (await session.whenConnected(wait.signal));
    try {
      const claimed = await contend(queue, lease, wait, claim);
      if (claimed !== undefined) return claimed;
    } catch (error) {
      if (!(error instanceof SessionOverError)) throw error;
    }
  }
}

async function contend<T>(
  { context, queues, dialect, mode, place }: Queue,
  lease: SessionLease,
  wait: Wait,
  claim: Claim<T>,
): Promise<T | undefined> {
  const queue = queues.of(lease, place.directory, dialect);
  const granted = await queue.enter({ context, mode, place, wait });
  const own = granted?.own;
  if (!own) return undefined;
  let claimed: T | undefined;
  try {
    claimed = await wait.for(claim(own));
  } finally {
    if (claimed === undefined) {
      own.abandon();
      void context.remover.remove(lease, own.path);
    }
  }
  return claimed;
}

/** The nodes that a newcomer would have to wait for, by one read that leaves no trace. */
export async function findBlockers(
  { context, dialect, mode, place }: Queue,
  lease: SessionLease,
): Promise<readonly QueueNode[]> {
  const names = await context.lists.list(lease, place.directory);
  const nodes = dialect.parse(place.directory, names);
  return mode === 'write' ? nodes : nodes.filter((node) => node.mode === 'write');
}
