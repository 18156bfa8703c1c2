import type { Session } from 'zk-client/recipes';
import { parseHolderData } from '../nodes/holder-data.js';
import type { Dirt } from './dirt.js';

/** The most nodes that are read at once: strangers may have stored much in them. */
const MOST_READ = 16;

/**
 * Who takes a lock away writes that into its node, which its process may delete a round trip later: it is
 * read at once, in one round trip.
 */
export class LastWords {
  #reading = 0;

  constructor(private readonly session: Session) {}

  /**
   * The data of a node have changed.
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
      // It is gone, and has left no word.
    } finally {
      this.#reading--;
    }
  }
}
