/** How long the calls of one process may hand a lock over to each other. */
export interface CohortOptions {
  /**
   * How often the lock passes on within the process before others have their turn, from 1 to 1,023.
   * @default 1000
   */
  maxHandovers?: number | undefined;
  /**
   * For so long, in milliseconds, it passes on; the section that runs then is not cut short.
   * @default 100
   */
  maxTenureMs?: number | undefined;
}

export interface TenureLimits {
  readonly maxHandovers: number;
  readonly maxTenureMs: number;
}
