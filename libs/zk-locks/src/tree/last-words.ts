import type { Session } from 'zk-client/recipes';
import { parseHolderData } from '../nodes/holder-data.js';
import type { Dirt } from './dirt.js';

/** The maximum number of nodes that are read at once, because other programs may store much data in them. */
const MOST_READ = 16;

/**
 * Reads who has broken a lock. The breaker writes this into the node, which its holder may delete a round
 * trip later, so the node is read at once, in one round trip.
 */
export class LastWords {
  #reading = 0;

  constructor(private readonly session: Session) {}

  /**
   * Called when the data of a node have changed.
   *
   * @param dirt where to note who broke its lock
   */
  async hear(path: string, dirt: Dirt): Promise<void> {
    const lease = this.session.connectedLease;
    const isFull = this.#reading >= MOST_READ || !dirt.hasRoomForBreakers;
    if (!lease || isFull) return;
    this.#reading++;
    try {
      const { data } = await this.session.get(lease, path);
      const breaker = parseHolderData(data)?.brokenBy;
      if (breaker) dirt.addBreaker(path, breaker);
    } catch {
      // The node is gone, so the cause remains unknown.
    } finally {
      this.#reading--;
    }
  }
}
