/** The longest attempt, as a part of the session timeout. */
const LONGEST = 1 / 3;
/** The first one that attaches a session again. */
const SHORTEST = 1 / 12;
/** Room for an answer that takes longer than the latest one did. */
const TIMES_LATEST = 2;

/** How long an attempt to begin a session may take, in milliseconds: its answer needs a majority. */
export function longestAttemptMs(sessionTimeoutMs: number): number {
  return Math.ceil(sessionTimeoutMs * LONGEST);
}

/**
 * How long an attempt to attach a session may take.
 *
 * Some servers accept a connection and never answer it: ZooKeeper 3.8 while it reads its database
 * (closing the connection fails, for there is no database yet to remove it from), a follower that loses
 * its leader meanwhile, a host that is down. With a third of the session timeout for each, three of them
 * in a row cost the session. So attempts are short at first, and double with each one that got no answer,
 * until they are long enough for a server that is slow.
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

  /** A server answered an attempt after so many milliseconds. */
  answered(afterMs: number): void {
    this.#latestMs = afterMs;
    this.#hung = 0;
  }

  /** An attempt got no answer within its limit. */
  hung(): void {
    this.#hung++;
  }
}
