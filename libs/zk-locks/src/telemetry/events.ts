import type { Breaker } from '../lock/holder.js';
import type { LastRun, RunOutcome } from '../lock/last-run.js';

/**
 * What a call is for. Each lock of `acquireAll` has events of its own, as `multi`. An upgradable lock that
 * becomes a write lock waits as `upgrade`, and still holds its read lock. A call of `runAtMostEvery` waits
 * as `job`, whether or not the job is due.
 */
export type CallKind = 'lock' | 'upgradable' | 'upgrade' | 'multi' | 'election' | 'permit' | 'job';

/**
 * How a wait ended. `busy`: a single try (`tryAcquire`, `timeoutMs: 0`) found the lock held, which is not a
 * failure. `full`: refused by `maxWaiting`. `unavailable`: ZooKeeper did not answer in time. `closed`: the
 * locks were closed. `error`: anything else.
 */
export type WaitResult =
  'granted' | 'timeout' | 'busy' | 'full' | 'aborted' | 'unavailable' | 'closed' | 'error';

/** The locks and waiting calls of a connection in this process. */
export interface CallCounts {
  /** Locks held; the permits of one call count as one. */
  readonly held: number;
  /** Calls that wait. */
  readonly waiting: number;
}

/** The fields that all events of a call have. The counts are those after the event. */
export interface CallEvent extends CallCounts {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  /** The same in all events of one call, and different for each call of this process. */
  readonly id: number;
  readonly kind: CallKind;
  readonly mode: 'read' | 'write' | 'permit';
  /** The key as the caller passed it. Use it in logs, but not as a label of metrics: there can be any number of keys. */
  readonly key: string;
  /** The name of all keys of this kind, such as `order:{0.id}`; undefined if the call has none. */
  readonly pattern: string | undefined;
  readonly label: string | undefined;
  /** How many permits the call takes together; undefined for locks. */
  readonly take: number | undefined;
}

/** A call has begun to wait, possibly only for a moment. */
export interface WaitStartEvent extends CallEvent {
  /** The longest wait, in milliseconds; 0 for a single try. */
  readonly timeoutMs: number;
}

/** A call has ended its wait: granted, or for another reason. */
export interface WaitEndEvent extends WaitStartEvent {
  readonly result: WaitResult;
  readonly durationMs: number;
  /** Why it was not granted; undefined when it was. */
  readonly error: unknown;
}

/** A lock or permits were granted. */
export interface HoldStartEvent extends CallEvent {
  /** Undefined for permits. */
  readonly fencingToken: bigint | undefined;
  readonly waitMs: number;
}

/** A lock or permits were released or lost. */
export interface HoldEndEvent extends HoldStartEvent {
  readonly result: 'released' | 'lost';
  readonly durationMs: number;
  /** Why it was lost: `LockLossReason`. */
  readonly lossReason: string | undefined;
  /** The process that took it, if the reason is `broken`. */
  readonly brokenBy: Breaker | undefined;
}

/**
 * The result of a call of `runAtMostEvery`, or of a method with `atMostEveryMs`. `ran`: the job ran, and did
 * not throw. `not_due`: another run began too recently. `busy`: the lock was not free in time. `failed`: the
 * job threw, or the call could not get its lock for another reason, for example without ZooKeeper. `lost`:
 * the lock was lost before the job had ended.
 */
export type JobResult = 'ran' | 'not_due' | 'busy' | 'failed' | 'lost';

/** A call of a job has ended. */
export interface JobEvent {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  readonly key: string;
  /** The `pattern` of the call, or else its key: jobs have fixed keys. */
  readonly pattern: string;
  readonly label: string | undefined;
  readonly everyMs: number;
  readonly result: JobResult;
  /** The time from the call to its end, including the wait for the lock. */
  readonly durationMs: number;
  /** The run of this call, or the earlier run because of which it was not due; undefined without either. */
  readonly lastRun: LastRun | undefined;
  /** Why the job did not run or failed; undefined for `ran` and `not_due`. */
  readonly error: unknown;
}

/** This process broke a lock with `breakLock`. */
export interface BreakEvent {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  readonly key: string;
  readonly mode: 'read' | 'write';
  /** The name of its znode. */
  readonly node: string;
  readonly fencingToken: bigint;
  /** The process that held it, or waited for it; undefined for other libraries. */
  readonly holder: Omit<Breaker, 'at'> | undefined;
  /** This process. */
  readonly brokenBy: Breaker;
  /** Whether its node was deleted because its process did not release it. */
  readonly isForced: boolean;
}

/** An operator has requested an action on the lock board. */
export interface ActionEvent {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  readonly action: 'revoke' | 'break' | 'setPermits' | 'resign';
  readonly key: string;
  /** The name of the user, or the address that the request came from. */
  readonly by: string;
  /** What the action did, as a sentence. */
  readonly text: string;
  /** Why the action was refused or failed; undefined if it was done. */
  readonly error: unknown;
}

export type SessionStateName = 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';

/** The session behind a connection has changed its state. */
export interface SessionEvent {
  readonly connection: string;
  readonly state: SessionStateName;
  /** Undefined for the first one. */
  readonly previous: SessionStateName | undefined;
  /** Why it was lost: `SessionLossReason`. */
  readonly lossReason: string | undefined;
  /** Whether the same session continues over a new connection. */
  readonly isReconnect: boolean;
}

/** A job, as this process has seen it. */
export interface JobReport extends Pick<JobEvent, 'key' | 'pattern' | 'everyMs'> {
  /** When this process first knew of the job, by its own clock. If the job never runs, it is overdue from then on. */
  readonly knownSince: Date;
  /** The latest run with each outcome, in all processes. */
  readonly lastRuns: Readonly<Partial<Record<RunOutcome, LastRun>>>;
  /** The number of calls of this process by result. */
  readonly results: Readonly<Record<JobResult, number>>;
}

/** The state of a connection at one moment. */
export interface ConnectionReport extends CallCounts {
  readonly connection: string;
  readonly state: SessionStateName;
  /** The jobs that it has called or looked up, and those of decorated methods. */
  readonly jobs: readonly JobReport[];
}
