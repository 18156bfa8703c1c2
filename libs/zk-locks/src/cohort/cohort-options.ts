/** The limits within which calls of one process pass a lock on to each other. */
export interface CohortOptions {
  /**
   * How many times calls of this process pass the lock on before other processes get their turn, from
   * 1 to 1,023.
   * @default 1000
   */
  maxHandovers?: number | undefined;
  /**
   * How long calls of this process pass the lock on, in milliseconds. The call that then holds the lock
   * finishes its work.
   * @default 100
   */
  maxTenureMs?: number | undefined;
  /**
   * How long the lock is kept after its last release, in milliseconds, so that the next call of this
   * process gets it without a request to ZooKeeper. It is given back at once when another process asks
   * for it. At most 1,000 locks are kept; then the one that was kept for the longest time is given back.
   *
   * The price: a process that dies or stalls blocks the keys that it had kept, until its session ends.
   * `tryAcquire` in other processes with this option takes a few round trips longer for a key that may
   * be kept; single tries of processes without it, of Curator and of kazoo see it as busy.
   * @default 0, which keeps none
   */
  keepMs?: number | undefined;
}

export interface CohortLimits {
  readonly maxHandovers: number;
  readonly maxTenureMs: number;
  readonly keepMs: number;
}
