/**
 * What a call is for. The parts of `acquireAll` are told of one by one, as `multi`; an upgradable lock
 * that becomes a write lock waits as `upgrade`, and holds on to what it has.
 */
export type CallKind = 'lock' | 'upgradable' | 'upgrade' | 'multi' | 'election' | 'permit';

/**
 * How a wait ended. `busy` is a single try (`tryAcquire`, `timeoutMs: 0`) that found the lock taken,
 * which is not a failure; `full` a call that was refused by `maxWaiting`; `unavailable` means that
 * ZooKeeper did not answer in time, `closed` that the service was closed, and `error` anything else.
 */
export type WaitResult =
  'granted' | 'timeout' | 'busy' | 'full' | 'aborted' | 'unavailable' | 'closed' | 'error';

/** How much a connection holds and waits for in this process. */
export interface CallCounts {
  /** Locks held; the permits of one call count as one. */
  readonly held: number;
  /** Calls that wait. */
  readonly waiting: number;
}

/** What all events of one call have in common; the counts are those right after it. */
export interface CallEvent extends CallCounts {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  /** The same in all events of one call, and in no other of this process. */
  readonly id: number;
  readonly kind: CallKind;
  readonly mode: 'read' | 'write' | 'permit';
  /** As the caller gave it. There may be any number of keys: a label for logs, not for metrics. */
  readonly key: string;
  /** Stands for all keys of its kind, as `order:{0.id}`; undefined where nobody has said one. */
  readonly pattern: string | undefined;
  readonly label: string | undefined;
  /** How many are taken together; undefined for locks. */
  readonly permits: number | undefined;
}

/** A call has begun to wait, be it for a moment only. */
export interface WaitStartEvent extends CallEvent {
  /** The longest wait, in milliseconds; 0 for a single try. */
  readonly timeoutMs: number;
}

/** It has what it wanted, or waits no longer. */
export interface WaitEndEvent extends WaitStartEvent {
  readonly result: WaitResult;
  readonly durationMs: number;
  /** What the wait was ended by; undefined when it was granted. */
  readonly error: unknown;
}

/** Something was granted. */
export interface HoldStartEvent extends CallEvent {
  /** Undefined for permits, which have none. */
  readonly fencingToken: bigint | undefined;
  readonly waitMs: number;
}

/** It is not held any more. */
export interface HoldEndEvent extends HoldStartEvent {
  readonly result: 'released' | 'lost';
  readonly durationMs: number;
  /** Why it was lost: `LockLossReason`. */
  readonly lossReason: string | undefined;
  /** Who has taken it away, where the reason is `broken`. */
  readonly brokenBy: Breaker | undefined;
}

/** A process that has broken a lock. */
export interface Breaker {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application?: string | undefined;
  /** By its own clock: ISO 8601, in UTC. */
  readonly at: string;
}

/** This process has broken a lock. */
export interface BreakEvent {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  readonly key: string;
  readonly mode: 'read' | 'write';
  readonly fencingToken: bigint;
  /** Who held it, or waited for it; undefined for other libraries. */
  readonly holder: Omit<Breaker, 'at'> | undefined;
  /** This process. */
  readonly brokenBy: Breaker;
  /** Whether its process did not give way by itself, so that its node was deleted. */
  readonly isForced: boolean;
}

/** An operator has asked for something, by the lock board. */
export interface ActionEvent {
  /** The `name` of the `ZkLockModule`, or `default`. */
  readonly connection: string;
  readonly action: 'revoke' | 'break' | 'setPermits' | 'resign';
  readonly key: string;
  /** The name of the user, or the address that the request came from. */
  readonly by: string;
  /** What became of it, as a sentence. */
  readonly text: string;
  /** Why it was refused, or failed; undefined where it was done. */
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
  /** Whether the same session lives on, over a new connection. */
  readonly isReconnect: boolean;
}

/** What a connection says of itself when it is asked. */
export interface ConnectionReport extends CallCounts {
  readonly connection: string;
  readonly state: SessionStateName;
}

/** A question to all connections of the process, which answer it before `publish()` returns. */
export interface CensusEvent {
  readonly answer: (report: ConnectionReport) => void;
}
