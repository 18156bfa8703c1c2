/** The latest run of a job. */
export interface LastRun {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application: string | undefined;
  /** When its process asked for the lock, by the clock of ZooKeeper's leader. */
  readonly since: Date;
  /** When it ended; undefined while it runs, and if its process died or lost the lock. */
  readonly until: Date | undefined;
  readonly outcome: RunOutcome;
  /** The interval that its process was given, in milliseconds. */
  readonly everyMs: number;
  /** When that interval ends. The next run may begin up to 10% of the interval earlier. */
  readonly nextDue: Date;
}

/** `running` also if the process died or lost the lock before it could record the outcome. */
export type RunOutcome = 'running' | 'done' | 'failed';
