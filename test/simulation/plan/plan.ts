import type { LocksOptions } from 'zk-locks';
import type { MemberOptions } from '../ensemble/options.js';
import type { LockKind } from '../../workers/soak/protocol.js';
import type { UserKind } from '../story/users/user-turns.js';

/** The servers of a story. All times are in milliseconds. */
export interface ServersPlan {
  readonly voters: number;
  readonly observer: 'none' | 'of the leader' | 'of a follower';
  readonly tickTimeMs: number;
  /** In ticks. */
  readonly initLimit: number;
  /** In ticks. */
  readonly syncLimit: number;
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How often empty directories are looked for. @default 60000 */
  readonly containerCheckMs?: number | undefined;
  /** What is different for one of the servers, in their order. */
  readonly members?: readonly Partial<MemberOptions>[] | undefined;
}

/** A process of the application. */
export interface ReplicaPlan {
  readonly name: string;
  readonly options: Pick<
    LocksOptions,
    'sessionTimeoutMs' | 'tickTimeMs' | 'dialect' | 'cohort' | 'release' | 'failFastAfterMs'
  >;
  /** How many tasks of each kind compete. */
  readonly tasks: Readonly<Partial<Record<LockKind, number>>>;
  /** How many users of `ZkClient` there are of each kind. @default none */
  readonly users?: Readonly<Partial<Record<UserKind, number>>>;
  /** The longest time between two turns of a user. @default `idleMs` */
  readonly usersIdleMs?: number;
  /** Whether promises that are never settled are looked for, which takes time. @default false */
  readonly countsPromises?: boolean;
  /** The longest time between two turns of a task. */
  readonly idleMs: number;
  /** How long before its lease ends its locks count as lost. */
  readonly marginMs: number;
  /** The share of a holder's writes that are guarded transactions, in percent. @default 10 */
  readonly guardedPercent?: number;
  /** In how much time the jobs run at most once. @default 300, 1000 and 3000 */
  readonly everyMs?: readonly number[];
  /** How often holders check their locks. */
  readonly stepMs: number;
  /** What its monotonic clock shows at the beginning. */
  readonly clockMs: number;
  /** By how much its wall clock is ahead. */
  readonly aheadMs: number;
  /** How many milliseconds its clocks count in one of the world. */
  readonly rate: number;
}

/** What tasks do, and faults can follow: one asks for a lock, has it, or is about to release it. */
export type Moment = 'asked' | 'entered' | 'left';

/** A process of another library, which wants the same locks. All times are in milliseconds. */
export interface ContenderPlan {
  readonly name: string;
  readonly sessionTimeoutMs: number;
  /** The longest time between two of its turns. */
  readonly idleMs: number;
}

/** Something that goes wrong, or that an operator does. Places are counted modulo what there is. */
export interface FaultPlan {
  readonly kind: string;
  readonly at: number;
  /** It waits for the next one of these, and hits its process and its key, so many milliseconds later. */
  readonly upon?: { readonly moment: Moment; readonly afterMs: number } | undefined;
  /** How long it lasts. */
  readonly ms: number;
  /** The place of whom it hits. */
  readonly target: number;
  /** For how long the holders of whom it hits stay, or all holders, which would soon have released. @default 0 */
  readonly clingMs?: number | undefined;
  /** Further choices, each from 0 to 999. */
  readonly choices: readonly number[];
  /** The key of whom it hits, where it has waited for that. */
  readonly key?: string | undefined;
  /** The place of the server to which the process is connected that it hits. @default `target` */
  readonly server?: number | undefined;
}

/** All that is drawn for a story, except what happens from one message to the next. */
export interface Plan {
  /** Of a plan that was kept: what it found. */
  readonly found?: string;
  /** Of latencies, ties and the choices of tasks. */
  readonly seed: number;
  /** How long the tasks work, before all has to come to rest. */
  readonly workMs: number;
  readonly keys: readonly string[];
  /** How much longer the operator's messages take, so that it acts on older news. @default 0 */
  readonly operatorLateMs?: number | undefined;
  readonly servers: ServersPlan;
  readonly replicas: readonly ReplicaPlan[];
  /** @default none */
  readonly contenders?: readonly ContenderPlan[];
  readonly faults: readonly FaultPlan[];
}
