import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { readOptions } from 'zk-locks/framework';
import { lockServiceOf } from '../inject-lock-service.decorator.js';
import { describeSession, healthOf } from './session-health.js';

/**
 * Options of `isHealthy()`.
 *
 * @publicApi
 */
export interface ZkLockHealthOptions {
  /**
   * The `name` of the `ZkLockModule` to check.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

/**
 * Reports the health of the ZooKeeper session behind the locks to Terminus.
 *
 * - Connected: `up`. If ZooKeeper refuses the user of `credentials` access to the locks, or refused
 *   the latest call a new node because its sessions are local or a quota is used up, `down`, and
 *   `problem` says what to do.
 * - Suspended (not connected, but the session may still be alive): `degraded` from Terminus 12 on,
 *   `down` before.
 * - Any other state: `down`. Without a connection, `problem` is why.
 *
 * It reports what the session knows and asks no server, so it answers immediately.
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
   * @param key the name of the result in Terminus's response
   * @returns the status, with the session's state and negotiated timeout, the configured servers
   * and the connected one (without credentials), the latest round trip, and the numbers of held
   * locks and waiting calls
   * @throws {ZkLockConfigError} when the application has no such connection, or for an unknown option
   */
  isHealthy<const Key extends string>(
    key: Key,
    options: ZkLockHealthOptions = {},
  ): HealthIndicatorResult<Key> {
    const { connection } = readOptions(options, ['connection']);
    const { session, counts } = lockServiceOf(this.moduleRef, connection);
    const { held, waiting } = counts;
    const { snapshot } = session;
    const details = { ...describeSession(snapshot), held, waiting };
    const indicator = this.indicators.check(key);
    const health = healthOf(snapshot);
    // Terminus 11 has no `degraded`.
    if (health === 'degraded' && 'degraded' in indicator) return indicator.degraded(details);
    return health === 'up' ? indicator.up(details) : indicator.down(details);
  }
}
