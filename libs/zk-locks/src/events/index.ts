/** The events of calls, locks and sessions, published through `node:diagnostics_channel`. */
export { LOCK_CHANNELS, onLockEvents, publish, readConnections } from '../telemetry/channels.js';
export type { Breaker } from '../lock/holder.js';
export type { LockEventName, LockEvents } from '../telemetry/channels.js';
export type {
  ActionEvent,
  BreakEvent,
  CallCounts,
  CallEvent,
  CallKind,
  ConnectionReport,
  HoldEndEvent,
  HoldStartEvent,
  JobEvent,
  JobReport,
  JobResult,
  SessionEvent,
  SessionStateName,
  WaitEndEvent,
  WaitResult,
  WaitStartEvent,
} from '../telemetry/events.js';
