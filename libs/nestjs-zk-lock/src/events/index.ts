/** The events of calls, locks and sessions, published through `node:diagnostics_channel`. */
export { LOCK_CHANNELS, onLockEvents } from 'zk-locks/events';
export type {
  ActionEvent,
  Breaker,
  BreakEvent,
  CallCounts,
  CallEvent,
  CallKind,
  HoldEndEvent,
  HoldStartEvent,
  JobEvent,
  JobResult,
  LockEventName,
  LockEvents,
  SessionEvent,
  SessionStateName,
  WaitEndEvent,
  WaitResult,
  WaitStartEvent,
} from 'zk-locks/events';
export type { SessionLossReason } from 'zk-locks';
