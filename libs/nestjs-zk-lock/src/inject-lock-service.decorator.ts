import { Inject, type InjectionToken } from '@nestjs/common';
import { type ModuleRef, ModulesContainer } from '@nestjs/core';
import { ZkLockConfigError } from 'zk-locks';
import { checkOption } from 'zk-locks/framework';
import { copiesProblem } from './copies.js';
import { LockService } from './lock.service.js';

/**
 * Returns the injection token of a connection's `LockService`. Without a name, that is the class
 * itself.
 *
 * @param name the `name` passed to its `ZkLockModule.forRoot()`
 * @throws {ZkLockConfigError} if `name` is not a valid name
 * @publicApi
 */
export function getLockServiceToken(name?: string): InjectionToken<LockService> {
  if (name === undefined) return LockService;
  checkOption('name', name);
  return `${NAMED}${name}`;
}

const NAMED = 'LockService:';

/** The names of an application's connections, except the unnamed one. */
function connectionNames(modules: ModulesContainer): string[] {
  const tokens = [...modules.values()].flatMap(({ providers }) => [...providers.keys()]);
  const names = tokens.flatMap((token) =>
    typeof token === 'string' && token.startsWith(NAMED) ? token.slice(NAMED.length) : [],
  );
  return [...new Set(names)].sort();
}

/**
 * The message for an application that has no `LockService` of a connection.
 *
 * @param application where the names of its connections, one of which may be meant, are found;
 * undefined if that is impossible
 */
export function missingLockService(
  name: string | undefined,
  application: ModulesContainer | ModuleRef | undefined,
): Readonly<Record<'service' | 'remedy', string>> {
  const [named, option] = name === undefined ? ['', ''] : [` named "${name}"`, `name: '${name}', `];
  const modules =
    application && 'create' in application
      ? application.get(ModulesContainer, { strict: false })
      : application;
  const names = modules ? connectionNames(modules) : [];
  const remedy = `Import ZkLockModule.forRoot({ ${option}… }) in the root module.`;
  const [first] = names;
  return {
    service: `LockService${named}`,
    remedy:
      first === undefined
        ? remedy
        : `It has named connections (${names.map((each) => `'${each}'`).join(', ')}): pass one, as in { connection: '${first}' }. Otherwise: ${remedy}`,
  };
}

/**
 * The `LockService` of a connection that an option names.
 *
 * @throws {ZkLockConfigError} when the application has no such connection
 */
export function lockServiceOf(moduleRef: ModuleRef, connection: string | undefined): LockService {
  try {
    return moduleRef.get(getLockServiceToken(connection), { strict: false });
  } catch (cause) {
    const { service, remedy } = missingLockService(connection, moduleRef);
    const problem = `must name a connection of the application, which has no ${service}`;
    throw new ZkLockConfigError('connection', problem, copiesProblem() ?? remedy, { cause });
  }
}

/**
 * Injects the `LockService` of a named connection.
 *
 * @example
 * ```ts
 * constructor(@InjectLockService('billing') private readonly locks: LockService) {}
 * ```
 *
 * @param name the `name` passed to its `ZkLockModule.forRoot()`; omit it for the unnamed connection
 * @publicApi
 */
export function InjectLockService(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getLockServiceToken(name));
}
