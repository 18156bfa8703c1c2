/**
 * What a contender's znode says about its process, as JSON (`zkCli.sh get` shows it). It contains
 * no secrets.
 */
export interface HolderData {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application?: string | undefined;
  /** The call's `label`; absent if the node can serve other calls. */
  readonly label?: string | undefined;
  /** The number of semaphore permits that the call takes together. */
  readonly permits?: number | undefined;
  /** Whether the node can serve other calls of its process because of the option `cohort`. */
  readonly cohort?: boolean | undefined;
  /**
   * How long the process may keep the lock unused, in milliseconds, because of the option `cohort`.
   */
  readonly keepMs?: number | undefined;
  /** Whether the node belongs to an election: its holder leads. */
  readonly election?: boolean | undefined;
  /**
   * When the process asked for the lock, by its own clock, in ISO 8601 and UTC. For a call in a
   * cohort of this process, the time when it got the lock.
   */
  readonly since: string;
  /**
   * The nodes of the locks held around the call, as paths below the root, innermost first, at most
   * 8. Absent outside of all locks.
   */
  readonly holds?: readonly string[] | undefined;
  /** When a process asked for the lock with `revoke()`, by that process's clock. */
  readonly revokedAt?: string | undefined;
  /** The lock's fencing token, if a downgrade or an upgrade created this node after the grant. */
  readonly token?: string | undefined;
  /** The last bits of the fencing token. Absent if they are 0. */
  readonly rank?: number | undefined;
  /** The process that took the lock away with `breakLock`. */
  readonly brokenBy?: Breaker | undefined;
}

/** A process that took a lock by `breakLock`. */
export interface Breaker {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application?: string | undefined;
  /** By its own clock: ISO 8601, in UTC. */
  readonly at: string;
}
