import { Module } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { ZkLockHealthIndicator } from './zk-lock.health.js';

/**
 * Provides the {@link ZkLockHealthIndicator}. Import it beside `TerminusModule` in the module of the
 * health controller.
 *
 * @publicApi
 */
@Module({
  // Terminus's own service keeps no state that matters here, and the user's TerminusModule may be configured.
  providers: [HealthIndicatorService, ZkLockHealthIndicator],
  exports: [ZkLockHealthIndicator],
})
export class ZkLockHealthModule {}
