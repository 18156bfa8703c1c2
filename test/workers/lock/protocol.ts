import type { LockMode, SemaphoreOptions } from 'nestjs-zk-lock';
import type { SessionSnapshot } from 'nestjs-zk-lock/inspect';

/** The worker's commands. */
export interface Commands {
  acquire(key: string, mode: LockMode, timeoutMs?: number): Granted;
  release(lock: number): void;
  /**
   * Stands still, beginning in a phase of the event loop, until there is a file: it neither reads its
   * sockets nor runs timers. Then it asks for a lock before it reads its sockets.
   */
  hangAndAcquire(from: Phase, file: string, key: string): Granted;
  /** Reads a node so many times at once; does not wait for the answers. */
  read(path: string, times: number): void;
  assertHeld(lock: number): void;
  inspect(lock: number): LockReport;
  /** Writes `text` there again and again while the lock is held; rejects once it is lost. */
  write(lock: number, path: string, text: string): void;
  /** `tasks` at once; each reads the number in `file`, waits, and writes it back plus one. */
  count(key: string, file: string, tasks: number): void;
  /** @param of the number of permits */
  acquirePermits(key: string, of: SemaphoreOptions['permits'], permits: number): PermitsGranted;
  /**
   * One task for each number of permits, all at once; each notes in `file` when it gets them and
   * when it returns them.
   */
  occupy(
    key: string,
    of: SemaphoreOptions['permits'],
    file: string,
    tasks: readonly number[],
  ): void;
  session(): SessionSnapshot;
}

/** `poll` is the one that reads sockets. */
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
  /** A bigint in decimal. */
  readonly fencingToken: string;
  /** Milliseconds of the machine's monotonic clock, which all its processes share. */
  readonly at: number;
}

export type PermitsGranted = Omit<Granted, 'fencingToken'>;

export interface LockReport {
  readonly isHeld: boolean;
  readonly aborted: boolean;
}
