import { Inject, type InjectionToken } from '@nestjs/common';
import { checkOption } from 'zk-locks/framework';
import { ZkClient } from './zk-client.js';

/**
 * Returns the injection token of a connection's `ZkClient`. Without a name, that is the class
 * itself.
 *
 * @param name the `name` passed to its `ZkLockModule.forRoot()`
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
 * @param name the `name` passed to its `ZkLockModule.forRoot()`; omit it for the unnamed connection
 * @publicApi
 */
export function InjectZkClient(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getZkClientToken(name));
}
