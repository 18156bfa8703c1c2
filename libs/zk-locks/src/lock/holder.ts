import type { Breaker } from '../telemetry/events.js';

/** What a contender's znode says about its process, as JSON (`zkCli.sh get` shows it). No secrets. */
export interface HolderData {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application?: string | undefined;
  /** The call's `label`; absent where its node can serve other calls. */
  readonly label?: string | undefined;
  /** How many permits of a semaphore its call takes together. */
  readonly permits?: number | undefined;
  /** Whether its node can serve other calls of its process, by the option `cohort`. */
  readonly cohort?: boolean | undefined;
  /** How long its process may keep the lock unused, in milliseconds, by the option `cohort`. */
  readonly keepMs?: number | undefined;
  /** Whether it stands for an election: the holder leads. */
  readonly election?: boolean | undefined;
  /**
   * When it asked for the lock, by its own clock: ISO 8601, in UTC. For a call in a cohort of this
   * process, when it got the lock.
   */
  readonly since: string;
  /**
   * The nodes of the locks around the call, as paths below the root, innermost first, at most 8. Absent
   * outside of all locks.
   */
  readonly holds?: readonly string[] | undefined;
  /** When a process asked for the lock by `revoke()`, by the clock of that process. */
  readonly revokedAt?: string | undefined;
  /**
   * The fencing token of the lock, if a downgrade or an upgrade created this node after the grant.
   */
  readonly token?: string | undefined;
  /** The last bits of the fencing token. Absent for 0. */
  readonly rank?: number | undefined;
  /** The process that took the lock away by `breakLock`. */
  readonly brokenBy?: Breaker | undefined;
}
