/** The events of calls, locks and sessions, published through `node:diagnostics_channel`. */
export { LOCK_CHANNELS, onLockEvents, publish, readConnections } from '../telemetry/channels.js';
export type { Breaker } from '../lock/holder.js';
export type { LockEventName, LockEvents } from '../telemetry/channels.js';
export type * from '../telemetry/events.js';
