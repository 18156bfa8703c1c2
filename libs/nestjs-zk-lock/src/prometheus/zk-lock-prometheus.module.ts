import { type DynamicModule, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { WhileRunning } from '../telemetry/while-running.js';
import { collectLockMetrics, type LockMetricsOptions } from './lock-metrics.js';

/**
 * Keeps the metrics of all lock services of this process, from the start of the application until
 * the last of its own is closed. It does not publish them: the registry's own endpoint does.
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
          inject: [ModulesContainer],
          useFactory: (application: ModulesContainer) =>
            new WhileRunning(application, () => collectLockMetrics(options)),
        },
      ],
    };
  }
}
