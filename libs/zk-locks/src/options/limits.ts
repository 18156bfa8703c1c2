/**
 * The most permits of a fixed number, and of one call. With as many leases again, those of the call
 * whose turn it is, their list stays below the 1 MiB that ZooKeeper sends.
 */
export const MAX_PERMITS = 8_000;

/** How many calls of this process can wait. `Infinity`: no limit. */
export interface MaxWaitingOptions {
  /**
   * For one key.
   * @default 1000
   */
  perKey?: number | undefined;
  /**
   * For all keys of this connection.
   * @default 10000
   */
  total?: number | undefined;
}

export interface MaxWaiting {
  readonly perKey: number;
  readonly total: number;
}

export const DEFAULT_MAX_WAITING: MaxWaiting = { perKey: 1_000, total: 10_000 };
