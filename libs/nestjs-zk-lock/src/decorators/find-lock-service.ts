import { Inject } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import { copiesProblem } from '../copies.js';
import { getLockServiceToken, missingLockService } from '../inject-lock-service.decorator.js';
import type { LockService } from '../lock.service.js';
import { type Decorator, LOCKED, LockedSetupError } from './decorator-errors.js';

/** Nest looks through all of its modules for each `get()`; what it has found once stays where it is. */
const found = new WeakMap<ModuleRef, Map<string | undefined, LockService>>();

/**
 * Finds the service of a connection anywhere in the application.
 *
 * @param method whom to name when it is missing, as `Class.method`
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
  const service = get(moduleRef, method, connection, decorator);
  // Nest knows a provider before it has built it.
  if (typeof (service as Partial<LockService> | null | undefined)?.withLock !== 'function') {
    throw new LockedSetupError(
      method,
      `it is ${decorator.name}, and the LockService is not ready yet`,
      'Call it after bootstrap, or inject LockService into its class so that Nest builds that first.',
    );
  }
  remember(moduleRef, connection, service);
  return service;
}

function remember(
  moduleRef: ModuleRef,
  connection: string | undefined,
  service: LockService,
): void {
  const services = found.get(moduleRef) ?? new Map<string | undefined, LockService>();
  found.set(moduleRef, services.set(connection, service));
}

function get(
  moduleRef: ModuleRef,
  method: string,
  connection: string | undefined,
  decorator: Decorator,
): LockService {
  try {
    return moduleRef.get(getLockServiceToken(connection), { strict: false });
  } catch (cause) {
    throw noLockService(method, connection, decorator, moduleRef, { cause });
  }
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
    `it is ${decorator.name}, and ${copies ? 'its copy of nestjs-zk-lock' : 'the application'} has no ${service}`,
    copies ?? remedy,
    options,
  );
}

export function notBuiltByNest(method: string, decorator: Decorator): LockedSetupError {
  return new LockedSetupError(
    method,
    `it is ${decorator.name}, and Nest did not build its object, or is still building it`,
    `Register the class itself as a provider or controller, or build it with \`moduleRef.create()\` in \`useFactory\`; where \`new\` makes it, call ${decorator.instead} instead.`,
  );
}

const MODULE_REF = Symbol('nestjs-zk-lock:ModuleRef');

/**
 * Lets Nest hand its `ModuleRef` to every instance it builds of a class, whatever the scope, so that
 * a decorated method finds the application it belongs to. A registry could not: the last of several
 * applications in one process would win.
 */
export function injectModuleRef(prototype: object): void {
  Inject(ModuleRef)(prototype, MODULE_REF);
  Object.defineProperty(prototype, MODULE_REF, {
    configurable: true,
    // Kept off the instance's enumerable properties, or logging it would print the whole container.
    set(this: object, value: ModuleRef) {
      Object.defineProperty(this, MODULE_REF, { value, configurable: true, writable: true });
    },
  });
}

/** Nothing for objects that Nest did not build, and inside constructors. */
export function moduleRefOf(instance: unknown): ModuleRef | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  return (instance as { [MODULE_REF]?: ModuleRef })[MODULE_REF];
}
