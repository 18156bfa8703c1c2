import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { instrumentLocks, type LockTelemetryOptions } from './instrument-locks.js';

const OPTIONS = Symbol('nestjs-zk-lock:opentelemetry');

@Injectable()
class LockInstrumentation implements OnModuleInit, OnApplicationShutdown {
  #stop: (() => void) | undefined;

  constructor(@Inject(OPTIONS) private readonly options: LockTelemetryOptions) {}

  onModuleInit(): void {
    this.#stop ??= instrumentLocks(this.options);
  }

  onApplicationShutdown(): void {
    this.#stop?.();
  }
}

/**
 * Makes spans and metrics of the locks of this process, from the start of the application to its end.
 *
 * @publicApi
 */
@Module({})
export class ZkLockOpenTelemetryModule {
  /**
   * @example
   * ```ts
   * ZkLockOpenTelemetryModule.forRoot({ keys: true })
   * ```
   */
  static forRoot(options: LockTelemetryOptions = {}): DynamicModule {
    return {
      module: ZkLockOpenTelemetryModule,
      providers: [{ provide: OPTIONS, useValue: options }, LockInstrumentation],
    };
  }
}
