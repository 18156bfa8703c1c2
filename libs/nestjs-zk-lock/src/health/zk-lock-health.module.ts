import { Module } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { ZkLockHealthIndicator } from './zk-lock.health.js';

/**
 * Provides the {@link ZkLockHealthIndicator}. Import it together with `TerminusModule` in the
 * module of the health controller.
 *
 * @publicApi
 */
@Module({
  // A second instance of Terminus's stateless service, because the application's TerminusModule may
  // be configured differently.
  providers: [HealthIndicatorService, ZkLockHealthIndicator],
  exports: [ZkLockHealthIndicator],
})
export class ZkLockHealthModule {}
