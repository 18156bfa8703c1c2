import { Inject, type InjectionToken } from '@nestjs/common';
import { checkOption } from 'zk-locks/internal';
import { LockService } from './lock.service.js';

/**
 * The injection token of a connection's `LockService`: the class itself without a name.
 *
 * @param name the `name` its `ZkLockModule.forRoot()` was given
 * @throws {ZkLockConfigError} if `name` is not a valid name
 * @publicApi
 */
export function getLockServiceToken(name?: string): InjectionToken<LockService> {
  if (name === undefined) return LockService;
  checkOption('name', name);
  return `LockService:${name}`;
}

/**
 * What to say where an application has no `LockService` of a connection.
 *
 * @param given other options that its module needs, as `isGlobal: true, `
 */
export function missingLockService(
  name: string | undefined,
  given = '',
): Readonly<Record<'service' | 'remedy', string>> {
  const [named, option] = name === undefined ? ['', ''] : [` named "${name}"`, `name: '${name}', `];
  return {
    service: `LockService${named}`,
    remedy: `Import ZkLockModule.forRoot({ ${given}${option}… }) in the root module.`,
  };
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
