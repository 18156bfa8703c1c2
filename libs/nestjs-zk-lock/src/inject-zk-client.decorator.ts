import { Inject, type InjectionToken } from '@nestjs/common';
import { checkOption } from 'zk-locks/internal';
import { ZkClient } from './zk-client.js';

/**
 * The injection token of a connection's `ZkClient`: the class itself without a name.
 *
 * @param name the `name` its `ZkLockModule.forRoot()` was given
 * @throws {ZkLockConfigError} if `name` is not a valid name
 * @publicApi
 */
export function getZkClientToken(name?: string): InjectionToken<ZkClient> {
  if (name === undefined) return ZkClient;
  checkOption('name', name);
  return `ZkClient:${name}`;
}

/**
 * Injects the `ZkClient` of a named connection.
 *
 * @example
 * ```ts
 * constructor(@InjectZkClient('billing') private readonly zk: ZkClient) {}
 * ```
 *
 * @param name the `name` its `ZkLockModule.forRoot()` was given; without one, the unnamed connection
 * @publicApi
 */
export function InjectZkClient(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getZkClientToken(name));
}
