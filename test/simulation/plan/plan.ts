import type { LocksOptions } from 'zk-locks';
import type { MemberOptions } from '../ensemble/options.js';
import type { LockKind } from '../../workers/soak/protocol.js';
import type { UserKind } from '../story/users/user-turns.js';

/** The servers of a story. Times are in milliseconds. */
export interface ServersPlan {
  readonly voters: number;
  readonly observer: 'none' | 'of the leader' | 'of a follower';
  readonly tickTimeMs: number;
  /** In ticks. */
  readonly syncLimit: number;
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How often empty directories are looked for. @default 60000 */
  readonly containerCheckMs?: number | undefined;
  /** Options of single servers, in their order. */
  readonly members?: readonly Partial<MemberOptions>[] | undefined;
}

/** A process of the application. Times are in milliseconds. */
export interface ReplicaPlan {
  readonly name: string;
  readonly options: Pick<
    LocksOptions,
    'sessionTimeoutMs' | 'tickTimeMs' | 'dialect' | 'cohort' | 'release'
  >;
  /** The number of competing tasks of each kind. */
  readonly tasks: Readonly<Partial<Record<LockKind, number>>>;
  /** The number of `ZkClient` users of each kind. @default none */
  readonly users?: Readonly<Partial<Record<UserKind, number>>>;
  /** The maximum pause of a user between two turns. @default `idleMs` */
  readonly usersIdleMs?: number;
  /** Whether to look for promises that never settle, which is slow. @default false */
  readonly countsPromises?: boolean;
  /** The maximum pause of a task between two turns. */
  readonly idleMs: number;
  /** The safety margin: locks count as lost this long before the lease ends. */
  readonly marginMs: number;
  /** The percentage of a holder's writes that are guarded transactions. @default 10 */
  readonly guardedPercent?: number;
  /** The periods in which the jobs run at most once. @default 300, 1000 and 3000 */
  readonly everyMs?: readonly number[];
  /** How often holders check their locks. */
  readonly stepMs: number;
  /** The initial value of the monotonic clock. */
  readonly clockMs: number;
  /** By how much the wall clock is ahead. */
  readonly aheadMs: number;
  /** How fast the clocks run, relative to simulated time. */
  readonly rate: number;
}

/** Events that faults can wait for: a task requests, has, or is about to release a lock. */
export type Moment = 'asked' | 'entered' | 'left';

/** A process of another library that competes for the same locks. Times are in milliseconds. */
export interface ContenderPlan {
  readonly name: string;
  readonly sessionTimeoutMs: number;
  /** The maximum pause between two turns. */
  readonly idleMs: number;
}

/** A fault or an operator's action. Indexes wrap around. Times are in milliseconds. */
export interface FaultPlan {
  readonly kind: string;
  readonly at: number;
  /** The fault waits for this event, and affects its process and key `afterMs` later. */
  readonly upon?: { readonly moment: Moment; readonly afterMs: number } | undefined;
  /** The duration of the fault. */
  readonly ms: number;
  /** The index of the process or server that it affects. */
  readonly target: number;
  /**
   * How long the affected holders, or all of them, keep locks that they would soon have released.
   * @default 0
   */
  readonly clingMs?: number | undefined;
  /** Further random numbers from 0 to 999. */
  readonly choices: readonly number[];
  /** The key of the event that the fault waited for. */
  readonly key?: string | undefined;
  /** The index of the server to which the affected process is connected. @default `target` */
  readonly server?: number | undefined;
}

/** Everything that is drawn for a story, except for each message's own randomness. */
export interface Plan {
  /** For a plan that was kept: the defect that it revealed. */
  readonly found?: string;
  /** The seed of latencies, ties and the choices of tasks. */
  readonly seed: number;
  /** How long the tasks work before everything must come to rest, in milliseconds. */
  readonly workMs: number;
  readonly keys: readonly string[];
  /** Additional latency of the operator's messages, so that it acts on older news. @default 0 */
  readonly operatorLateMs?: number | undefined;
  readonly servers: ServersPlan;
  readonly replicas: readonly ReplicaPlan[];
  /** @default none */
  readonly contenders?: readonly ContenderPlan[];
  readonly faults: readonly FaultPlan[];
}
