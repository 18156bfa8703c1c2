/** The limits within which calls of one process pass a lock on to each other. */
export interface CohortOptions {
  /**
   * How many times calls of this process pass the lock on before other processes get their turn,
   * from 1 to 1,023.
   * @default 1000
   */
  maxHandovers?: number | undefined;
  /**
   * How long calls of this process pass the lock on, in milliseconds. The call that holds the lock
   * when this time ends still finishes its work.
   * @default 100
   */
  maxTenureMs?: number | undefined;
  /**
   * How long the lock is kept after its last release, in milliseconds. The next call of this
   * process gets it without a request. When another process asks for it, it is released
   * immediately. At most 1,000 locks are kept; beyond that, the one kept longest is released.
   *
   * A process that dies or pauses blocks the keys that it keeps until its session ends. In other
   * processes with this option, `tryAcquire` takes a few round trips longer for a key that may be
   * kept. Single tries of processes without the option, of Curator and of kazoo find a kept lock
   * busy.
   * @default 0: no lock is kept
   */
  keepMs?: number | undefined;
}

export type CohortLimits = Readonly<Record<keyof CohortOptions, number>>;
