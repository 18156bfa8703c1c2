import type { LockMode, SemaphoreOptions } from 'nestjs-zk-lock';
import type { SessionSnapshot } from 'nestjs-zk-lock/inspect';

/** The worker's commands. */
export interface Commands {
  acquire(key: string, mode: LockMode, timeoutMs?: number): Granted;
  release(lock: number): void;
  /**
   * Blocks the event loop, beginning in the given phase, until `file` exists: sockets are not read
   * and timers do not run. Then requests a lock before reading the sockets.
   */
  hangAndAcquire(from: Phase, file: string, key: string): Granted;
  /** Sends this many reads of a node without waiting for the answers. */
  read(path: string, times: number): void;
  assertHeld(lock: number): void;
  inspect(lock: number): LockReport;
  /** Writes `text` repeatedly while the lock is held, and rejects once it is lost. */
  write(lock: number, path: string, text: string): void;
  /** Runs tasks at once: each reads the number in `file`, waits, and writes the next one. */
  count(key: string, file: string, tasks: number): void;
  /** @param of the semaphore's number of permits */
  acquirePermits(key: string, of: SemaphoreOptions['permits'], permits: number): PermitsGranted;
  /**
   * Starts one task for each number of permits, all at once. Each logs in `file` when it has its
   * permits and when it returns them.
   */
  occupy(
    key: string,
    of: SemaphoreOptions['permits'],
    file: string,
    tasks: readonly number[],
  ): void;
  session(): SessionSnapshot;
}

/** Sockets are read in the phase `poll`. */
export type Phase = 'timers' | 'poll' | 'check';

/** The worker's messages that are not answers. */
export type News = Loss | Hang;

export interface Hang {
  readonly type: 'hangs';
}

export interface Loss {
  readonly type: 'lost';
  readonly lock: number;
  readonly reason: string;
  readonly at: number;
}

export interface Granted {
  readonly lock: number;
  /** A decimal bigint. */
  readonly fencingToken: string;
  /** Milliseconds of the machine's monotonic clock. */
  readonly at: number;
}

export type PermitsGranted = Omit<Granted, 'fencingToken'>;

export interface LockReport {
  readonly isHeld: boolean;
  readonly aborted: boolean;
}
