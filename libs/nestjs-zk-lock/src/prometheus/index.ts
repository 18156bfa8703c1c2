export { collectLockMetrics } from './lock-metrics.js';
export type { LockMetricsOptions } from './lock-metrics.js';
export { ZkLockPrometheusModule } from './zk-lock-prometheus.module.js';
