export { instrumentLocks } from './instrument-locks.js';
export type { LockTelemetryOptions } from './instrument-locks.js';
export { ZkLockOpenTelemetryModule } from './zk-lock-opentelemetry.module.js';
