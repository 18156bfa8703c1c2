import { type DynamicModule, Module } from '@nestjs/common';
import { WhileRunning } from '../telemetry/while-running.js';
import { collectLockMetrics, type LockMetricsOptions } from './lock-metrics.js';

/**
 * Keeps the metrics of all lock services of this process, from the start of the application to its
 * end. It shows them to nobody: that is left to whatever shows the registry.
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
      providers: [
        {
          provide: WhileRunning,
          useFactory: () => new WhileRunning(() => collectLockMetrics(options)),
        },
      ],
    };
  }
}
