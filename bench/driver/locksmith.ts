export type Mode = 'read' | 'write';

/** Gives a lock back. */
export type Release = () => Promise<unknown>;

/** One client of one library, as the tasks of a driver use it. */
export interface Locksmith {
  /** Waits for as long as it takes. */
  take(key: string, mode: Mode): Promise<Release>;
  /** Nothing where the lock is busy. */
  tryTake?(key: string): Promise<Release | undefined>;
  close(): Promise<void>;
}

/** @param servers as the backend has them: a connect string, or hosts with ports behind commas */
export type OpenLocksmith = (servers: string, options: object) => Promise<Locksmith>;
