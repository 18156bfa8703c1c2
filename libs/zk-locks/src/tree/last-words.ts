import type { Session } from 'zk-client/recipes';
import { parseHolderData } from '../nodes/holder-data.js';
import type { Breaker } from '../lock/holder.js';

/** The most nodes whose last word is remembered until the next look. */
const MOST_NODES = 1_000;

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
   * @param brokenBy where to note who broke its lock
   */
  async hear(path: string, brokenBy: Map<string, Breaker>): Promise<void> {
    const lease = this.session.connectedLease;
    const isFull = this.#reading >= MOST_READ || brokenBy.size >= MOST_NODES;
    if (!lease || isFull) return;
    this.#reading++;
    try {
      const { data } = await this.session.get(lease, path);
      const breaker = parseHolderData(data)?.brokenBy;
      if (breaker) brokenBy.set(path, breaker);
    } catch {
      // It is gone, and has left no word.
    } finally {
      this.#reading--;
    }
  }
}
