import { Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

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
