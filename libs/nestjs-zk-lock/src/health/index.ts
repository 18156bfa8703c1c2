export { ZkLockHealthIndicator } from './zk-lock.health.js';
export type { ZkLockHealthOptions } from './zk-lock.health.js';
export { ZkLockHealthModule } from './zk-lock-health.module.js';
