import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { collectLockMetrics, type LockMetricsOptions } from './lock-metrics.js';

const OPTIONS = Symbol('nestjs-zk-lock:prometheus');

@Injectable()
class LockMetricsCollector implements OnModuleInit, OnApplicationShutdown {
  #stop: (() => void) | undefined;

  constructor(@Inject(OPTIONS) private readonly options: LockMetricsOptions) {}

  onModuleInit(): void {
    this.#stop ??= collectLockMetrics(this.options);
  }

  onApplicationShutdown(): void {
    this.#stop?.();
  }
}

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
      providers: [{ provide: OPTIONS, useValue: options }, LockMetricsCollector],
    };
  }
}
