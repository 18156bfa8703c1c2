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
}

export interface CohortLimits {
  readonly maxHandovers: number;
  readonly maxTenureMs: number;
}
