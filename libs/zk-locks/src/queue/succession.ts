/** Of so many directories it is known who left them; those that were left longest ago are forgotten. */
const MOST_DIRECTORIES = 4_096;

/** How this process has left a directory. */
interface Departure {
  readonly sequence: number;
  readonly czxid: bigint;
  /** Whether nobody had come between this node and the one that departed before it. */
  readonly isSteady: boolean;
  /** Of the latest node of this process there. */
  newest: number;
}

/**
 * Tells of a new node that nobody stands before it, by its number and its czxid alone, where this
 * process has left the directory empty: most locks are taken again and again by one process, while
 * nobody else wants them.
 *
 * The server numbers the nodes of a directory one by one. Where the one that came just before is
 * gone, and nobody stood before that, nobody stands before the new one. The numbers begin anew in a
 * directory that was deleted and made again; but to come to the same number it takes at least as many
 * transactions, and zxids count those. See docs/decisions/0010-round-trips.md.
 *
 * All of that is so in one history. Servers that were started again without their data, or without
 * the latest of them, go on with another one: what is known is forgotten with the connection, which
 * outlives neither.
 */
export class Succession {
  /** By directory, the latest at the end. */
  readonly #departures = new Map<string, Departure>();

  /** This process has a new node. */
  arrived(directory: string, sequence: number): void {
    const departure = this.#departures.get(directory);
    if (departure) departure.newest = sequence;
  }

  /**
   * A writer's node of this process was removed by its holder, and there is no other in its place.
   *
   * @param czxid of the node, which was granted: nobody stood before it
   */
  departed(directory: string, sequence: number, czxid: bigint): void {
    const previous = this.#departures.get(directory);
    const isSteady = previous?.sequence === sequence - 1;
    const newest = previous?.newest ?? sequence;
    this.#departures.delete(directory);
    this.#departures.set(directory, { sequence, czxid, isSteady, newest });
    if (this.#departures.size > MOST_DIRECTORIES) this.#forgetOldest();
  }

  /** Whether the next node in the directory can be expected to be the first one. */
  isLikely(directory: string): boolean {
    const latest = this.#departures.get(directory);
    return latest?.isSteady === true && latest.newest === latest.sequence;
  }

  /** Whether it depends on the czxid alone if {@link isFirst}. */
  mayBeFirst(directory: string, sequence: number): boolean {
    return this.#departures.get(directory)?.sequence === sequence - 1;
  }

  /** Whether it is certain that nobody stands before a new node. */
  isFirst(directory: string, sequence: number, czxid: bigint): boolean {
    const latest = this.#departures.get(directory);
    if (latest?.sequence !== sequence - 1) return false;
    const transactions = czxid - latest.czxid;
    return transactions > 0n && transactions <= BigInt(sequence);
  }

  /** There is a new connection. */
  forget(): void {
    this.#departures.clear();
  }

  #forgetOldest(): void {
    const [oldest] = this.#departures.keys();
    if (oldest !== undefined) this.#departures.delete(oldest);
  }
}
