/** The longest attempt, as a fraction of the session timeout. */
const LONGEST = 1 / 3;
/** The limit of the first attempt to attach a session again. */
const SHORTEST = 1 / 12;
/** Leaves room for an answer that takes longer than the latest one. */
const TIMES_LATEST = 2;

/**
 * How long an attempt to begin a session may take, in milliseconds: its answer requires a majority.
 */
export function longestAttemptMs(sessionTimeoutMs: number): number {
  return Math.ceil(sessionTimeoutMs * LONGEST);
}

/**
 * How long an attempt to attach a session may take.
 *
 * Some servers accept a connection and never answer: ZooKeeper 3.8 while it reads its database
 * (closing the connection fails, because there is no database yet to remove it from), a follower
 * that loses its leader at that moment, or a host that is down. If each attempt took a third of the
 * session timeout, three of them in a row would cost the session. Therefore, attempts are short at
 * first, and double after each one without an answer, until they are long enough for a slow server.
 */
export class ConnectPatience {
  #latestMs: number | undefined;
  #hung = 0;

  /** @returns milliseconds */
  limitMs(sessionTimeoutMs: number): number {
    const longestMs = longestAttemptMs(sessionTimeoutMs);
    if (this.#latestMs === undefined) return longestMs;
    const firstMs = Math.max(sessionTimeoutMs * SHORTEST, this.#latestMs * TIMES_LATEST);
    return Math.min(longestMs, Math.ceil(firstMs * 2 ** this.#hung));
  }

  /** Called when a server answered an attempt after this many milliseconds. */
  answered(afterMs: number): void {
    this.#latestMs = afterMs;
    this.#hung = 0;
  }

  /** Called when an attempt got no answer within its limit. */
  hung(): void {
    this.#hung++;
  }
}
