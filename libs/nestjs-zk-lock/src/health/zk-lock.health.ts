import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ZkLockConfigError } from 'zk-locks';
import { copiesProblem } from '../copies.js';
import { getLockServiceToken, missingLockService } from '../inject-lock-service.decorator.js';
import type { LockService } from '../lock.service.js';
import { describeSession, healthOf } from './session-health.js';

/**
 * What `isHealthy()` takes besides the key of its result.
 *
 * @publicApi
 */
export interface ZkLockHealthOptions {
  /**
   * The `name` of the `ZkLockModule` to ask about.
   * @default the connection without a name
   */
  connection?: string;
}

/**
 * Tells Terminus how the ZooKeeper session behind the locks fares.
 *
 * Connected is `up`, unless ZooKeeper's ACLs refuse the user of `credentials` access to the locks: that is
 * `down`, and `problem` says what to do. Suspended (not connected, while the session may live) is `degraded` where
 * Terminus has that, from version 12 on, and `down` before. Anything else is `down`. It reports what
 * the session knows and asks no server, so it answers at once.
 *
 * @example
 * ```ts
 * @Get('health')
 * @HealthCheck()
 * check() {
 *   return this.health.check([() => this.zkLock.isHealthy('zookeeper')]);
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class ZkLockHealthIndicator {
  constructor(
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
  ) {}

  /**
   * @param key names the result in Terminus's answer
   * @returns the status, with the session's state and negotiated timeout, the configured servers
   * and the connected one (no credentials), the last round trip, the locks held and the waiters
   * @throws {ZkLockConfigError} when the application has no such connection
   */
  isHealthy<const Key extends string>(
    key: Key,
    { connection }: ZkLockHealthOptions = {},
  ): HealthIndicatorResult<Key> {
    const { session, counts } = this.find(connection);
    const { held, waiting } = counts;
    const { snapshot } = session;
    const details = { ...describeSession(snapshot), held, waiting };
    const indicator = this.indicators.check(key);
    const health = healthOf(snapshot);
    // Terminus 11 knows no `degraded`.
    if (health === 'degraded' && 'degraded' in indicator) return indicator.degraded(details);
    return health === 'up' ? indicator.up(details) : indicator.down(details);
  }

  private find(connection: string | undefined): LockService {
    try {
      return this.moduleRef.get(getLockServiceToken(connection), { strict: false });
    } catch (cause) {
      const { service, remedy } = missingLockService(connection, this.moduleRef);
      const problem = `must name a connection of the application, which has no ${service}`;
      throw new ZkLockConfigError('connection', problem, copiesProblem() ?? remedy, { cause });
    }
  }
}
