import type { SessionLease } from '../session/session-lease.js';
import { type Claim, Contender, type Queue } from './contender.js';
import { pauseBefore } from './patience.js';
import { SessionOverError } from './persist.js';
import type { Wait } from './wait.js';

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
  const { session } = queue;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await pauseBefore(attempt, wait);
    wait.throwIfOver();
    const lease = session.connectedLease ?? (await session.whenConnected(wait.signal));
    try {
      const claimed = await new Contender(queue, lease, wait).run(claim);
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
