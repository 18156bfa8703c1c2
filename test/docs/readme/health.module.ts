import { Controller, Get, Module } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { ZkLockHealthIndicator, ZkLockHealthModule } from 'nestjs-zk-lock/health';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly zkLock: ZkLockHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.zkLock.isHealthy('zookeeper')]);
  }
}

@Module({ imports: [TerminusModule, ZkLockHealthModule], controllers: [HealthController] })
export class HealthModule {}
