import { type DynamicModule, Module } from '@nestjs/common';
import { whileRunning } from '../telemetry/while-running.js';
import { collectLockMetrics, type LockMetricsOptions } from './lock-metrics.js';

/**
 * Collects metrics of all lock services in this process, from the start of the application until the
 * last of its own services is closed. A call that began earlier is not counted, except for
 * elections. To publish them, use the endpoint of your registry.
 *
 * @publicApi
 */
@Module({})
export class ZkLockPrometheusModule {
  /**
   * @example
   * ```ts
   * ZkLockPrometheusModule.forRoot({ registry })
   * ```
   */
  static forRoot(options: LockMetricsOptions = {}): DynamicModule {
    return {
      module: ZkLockPrometheusModule,
      providers: [whileRunning(() => collectLockMetrics(options))],
    };
  }
}
