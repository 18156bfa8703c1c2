import type { Session } from 'zk-client/recipes';
import { parseHolderData } from '../nodes/holder-data.js';
import type { Breaker } from '../lock/holder.js';

/** The most nodes that are remembered. */
const MOST_NODES = 1_000;

/** The most nodes that are read at once: strangers may have stored much in them. */
const MOST_READ = 16;

/**
 * Who takes a lock away writes that into its node, which its process may delete a round trip later: it is
 * read at once, in one round trip.
 */
export class LastWords {
  readonly #brokenBy = new Map<string, Breaker>();
  #reading = 0;

  constructor(private readonly session: Session) {}

  /** The data of a node have changed. */
  async hear(path: string): Promise<void> {
    const lease = this.session.connectedLease;
    const isFull = this.#reading >= MOST_READ || this.#brokenBy.size >= MOST_NODES;
    if (!lease || isFull) return;
    this.#reading++;
    try {
      const { data } = await this.session.get(lease, path);
      const breaker = parseHolderData(data)?.brokenBy;
      if (breaker) this.#brokenBy.set(path, breaker);
    } catch {
      // It is gone, and has left no word.
    } finally {
      this.#reading--;
    }
  }

  brokenBy(path: string): Breaker | undefined {
    return this.#brokenBy.get(path);
  }

  forget(paths: Iterable<string>): void {
    for (const path of paths) this.#brokenBy.delete(path);
  }
}
