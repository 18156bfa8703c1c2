/**
 * The largest fixed number of permits, and the most that one call can take. Even with the leases of
 * the call whose turn it is, which can be as many again, the list stays below ZooKeeper's limit of
 * 1 MiB.
 */
export const MAX_PERMITS = 8_000;

/** The longest interval between two runs of a job: the end of one that is much longer is no date. */
export const MAX_EVERY_MS = 10 ** 15;

/** How many calls of this process may wait. `Infinity` means no limit. */
export interface MaxWaitingOptions {
  /**
   * The limit for each key.
   * @default 1000
   */
  perKey?: number | undefined;
  /**
   * The limit for all keys of this connection together.
   * @default 10000
   */
  total?: number | undefined;
}

export type MaxWaiting = Readonly<Record<keyof MaxWaitingOptions, number>>;

export const DEFAULT_MAX_WAITING: MaxWaiting = { perKey: 1_000, total: 10_000 };
