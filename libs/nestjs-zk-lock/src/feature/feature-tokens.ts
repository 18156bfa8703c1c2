import { Inject, type InjectionToken } from '@nestjs/common';
import type { Semaphore } from 'zk-locks';
import { directoryOf } from 'zk-locks/framework';
import { getLockServiceToken } from '../inject-lock-service.decorator.js';
import type { LeaderElection } from '../observable.js';

/**
 * Returns the injection token of a semaphore that `ZkLockModule.forFeature()` provides.
 *
 * @param key as in `forFeature({ semaphores: [{ key, permits }] })`
 * @param connection as in `forFeature({ connection })`
 * @throws {LockKeyError} when the key is empty or too long
 * @throws {ZkLockConfigError} when the connection is not a valid name
 * @publicApi
 */
export function getSemaphoreToken(key: string, connection?: string): InjectionToken<Semaphore> {
  return tokenOf('Semaphore', key, connection);
}

/**
 * Returns the injection token of an election that `ZkLockModule.forFeature()` provides.
 *
 * @param key as in `forFeature({ elections: [key] })`
 * @param connection as in `forFeature({ connection })`
 * @throws as {@link getSemaphoreToken}
 * @publicApi
 */
export function getElectionToken(key: string, connection?: string): InjectionToken<LeaderElection> {
  return tokenOf('Election', key, connection);
}

/**
 * Injects a semaphore of `ZkLockModule.forFeature()`.
 *
 * @example
 * ```ts
 * constructor(@InjectSemaphore('cards') private readonly cards: Semaphore) {}
 * ```
 *
 * @param key as in `forFeature({ semaphores: [{ key, permits }] })`
 * @param connection as in `forFeature({ connection })`
 * @throws as {@link getSemaphoreToken}
 * @publicApi
 */
export function InjectSemaphore(
  key: string,
  connection?: string,
): PropertyDecorator & ParameterDecorator {
  return Inject(getSemaphoreToken(key, connection));
}

/**
 * Injects an election of `ZkLockModule.forFeature()`.
 *
 * @example
 * ```ts
 * constructor(@InjectElection('reports') private readonly reports: LeaderElection) {}
 * ```
 *
 * @param key as in `forFeature({ elections: [key] })`
 * @param connection as in `forFeature({ connection })`
 * @throws as {@link getSemaphoreToken}
 * @publicApi
 */
export function InjectElection(
  key: string,
  connection?: string,
): PropertyDecorator & ParameterDecorator {
  return Inject(getElectionToken(key, connection));
}

/**
 * Both strings are quoted, because they may contain anything, and Nest shows the token in its
 * errors.
 */
function tokenOf(kind: string, key: string, connection: string | undefined): string {
  directoryOf('/', key);
  getLockServiceToken(connection);
  const names = connection === undefined ? [key] : [key, connection];
  return `${kind}(${names.map((name) => JSON.stringify(name)).join(', ')})`;
}
