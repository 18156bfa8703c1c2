export type Mode = 'read' | 'write';

/** Gives a lock back. */
export type Release = () => Promise<unknown>;

/** One client of one library, as the tasks of a driver use it. */
export interface Locksmith {
  /** Waits for as long as it takes. */
  take(key: string, mode: Mode): Promise<Release>;
  /** Undefined if the lock is busy. */
  tryTake?(key: string): Promise<Release | undefined>;
  /** One of so many permits; waits for as long as it takes. */
  takePermit?(key: string, permits: number): Promise<Release>;
  close(): Promise<void>;
}

/**
 * @param servers in the backend's format: a connect string, or hosts with ports, separated by
 * commas
 */
export type OpenLocksmith = (servers: string, options: object) => Promise<Locksmith>;
