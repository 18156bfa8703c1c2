export type Mode = 'read' | 'write';

/** Releases a lock. */
export type Release = () => Promise<unknown>;

/** One client of one library, as the tasks of a driver use it. */
export interface Locksmith {
  /** Waits without a limit. */
  take(key: string, mode: Mode): Promise<Release>;
  /** Undefined if the lock is busy. */
  tryTake?(key: string): Promise<Release | undefined>;
  /** Takes one of this many permits, and waits without a limit. */
  takePermit?(key: string, permits: number): Promise<Release>;
  close(): Promise<void>;
}

/**
 * @param servers in the backend's format: a connect string, or hosts with ports, separated by
 * commas
 */
export type OpenLocksmith = (servers: string, options: object) => Promise<Locksmith>;
