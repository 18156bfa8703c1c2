import { type DynamicModule, Module } from '@nestjs/common';
import { whileRunning } from '../telemetry/while-running.js';
import { instrumentLocks, type LockTelemetryOptions } from './instrument-locks.js';

/**
 * Creates spans and metrics for the locks of this process, from the start of the application until
 * the last of its own lock services is closed. A call that began earlier has neither, except for
 * elections.
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
      providers: [whileRunning(() => instrumentLocks(options))],
    };
  }
}
