import { Inject } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import { copiesProblem } from '../copies.js';
import { getLockServiceToken, missingLockService } from '../inject-lock-service.decorator.js';
import type { LockService } from '../lock.service.js';
import { type Decorator, LOCKED, LockedSetupError } from './decorator-errors.js';

const IN_A_TEST =
  'In a test, list the class in createLockTestingModule() of nestjs-zk-lock/testing.';

/** Nest searches all of its modules at each `get()`, so results are cached; they do not change. */
const found = new WeakMap<ModuleRef, Map<string | undefined, LockService>>();

/**
 * Finds the service of a connection anywhere in the application.
 *
 * @param method the method that messages name if the service is missing, as `Class.method`
 * @throws {LockedSetupError}
 */
export function findLockService(
  moduleRef: ModuleRef | undefined,
  method: string,
  connection: string | undefined,
  decorator: Decorator = LOCKED,
): LockService {
  if (!moduleRef) throw notBuiltByNest(method, decorator);
  const known = found.get(moduleRef)?.get(connection);
  if (known) return known;
  let service: LockService | undefined;
  try {
    service = moduleRef.get<LockService | undefined>(getLockServiceToken(connection), {
      strict: false,
    });
  } catch (cause) {
    throw noLockService(method, connection, decorator, moduleRef, { cause });
  }
  // Nest knows a provider before it has created the instance.
  if (!service) {
    throw new LockedSetupError(
      method,
      `it is ${decorator.name}, but the LockService is not ready yet`,
      'Call it after bootstrap, or inject LockService into its class so that Nest creates the service first.',
    );
  }
  const services = found.get(moduleRef) ?? new Map<string | undefined, LockService>();
  found.set(moduleRef, services.set(connection, service));
  return service;
}

export function noLockService(
  method: string,
  connection: string | undefined,
  decorator: Decorator,
  application: ModulesContainer | ModuleRef,
  options?: ErrorOptions,
): LockedSetupError {
  const { service, remedy } = missingLockService(connection, application);
  const copies = copiesProblem();
  return new LockedSetupError(
    method,
    `it is ${decorator.name}, but ${copies ? 'its copy of nestjs-zk-lock' : 'the application'} has no ${service}`,
    copies ?? `${remedy} ${IN_A_TEST}`,
    options,
  );
}

export function notBuiltByNest(method: string, decorator: Decorator): LockedSetupError {
  return new LockedSetupError(
    method,
    `it is ${decorator.name}, but Nest did not create its object, or is still creating it`,
    `Register the class itself as a provider or controller, or create it with \`moduleRef.create()\` in \`useFactory\`. For an object created with \`new\`, call ${decorator.instead} instead. To pass the method on, bind it to its object, as in \`() => jobs.run()\`. ${IN_A_TEST}`,
  );
}

const MODULE_REF = Symbol('nestjs-zk-lock:ModuleRef');

/** For objects that can have no further property, because their constructor freezes them. */
const ofFrozen = new WeakMap<object, ModuleRef>();

/**
 * Makes Nest inject its `ModuleRef` into every instance of a class, whatever the scope, so that a
 * decorated method finds the application it belongs to. A global registry could not do that: with
 * several applications in one process, the last one would win.
 */
export function injectModuleRef(prototype: object): void {
  Inject(ModuleRef)(prototype, MODULE_REF);
  Object.defineProperty(prototype, MODULE_REF, {
    configurable: true,
    get(this: object) {
      return ofFrozen.get(this);
    },
    // Not an enumerable property: otherwise, logging the instance would print the whole container.
    set(this: object, value: ModuleRef) {
      if (!Object.isExtensible(this)) ofFrozen.set(this, value);
      else Object.defineProperty(this, MODULE_REF, { value, configurable: true, writable: true });
    },
  });
}

/** Undefined for objects that Nest did not create, and inside constructors. */
export function moduleRefOf(instance: unknown): ModuleRef | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  return (instance as { [MODULE_REF]?: ModuleRef })[MODULE_REF];
}
