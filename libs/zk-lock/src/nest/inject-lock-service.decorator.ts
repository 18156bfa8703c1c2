import { Inject, type InjectionToken } from '@nestjs/common';
import { LockService } from './lock.service.js';

/**
 * The injection token of a connection's `LockService`: the class itself without a name.
 *
 * @param name the `name` its `ZkLockModule.forRoot()` was given
 * @publicApi
 */
export function getLockServiceToken(name?: string): InjectionToken<LockService> {
  return name === undefined ? LockService : `LockService:${name}`;
}

/**
 * Injects the `LockService` of a named connection.
 *
 * @example
 * ```ts
 * constructor(@InjectLockService('billing') private readonly locks: LockService) {}
 * ```
 *
 * @param name the `name` its `ZkLockModule.forRoot()` was given; without one, the unnamed connection
 * @publicApi
 */
export function InjectLockService(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getLockServiceToken(name));
}
