import type { ModulesContainer } from '@nestjs/core';

/**
 * What one decorator says on the methods of an application's providers and controllers.
 *
 * @param mark the metadata key under which the decorator lists its definitions
 */
export function* definitionsIn<T>(modules: ModulesContainer, mark: symbol): Iterable<T> {
  for (const { providers, controllers } of modules.values()) {
    for (const { metatype } of [...providers.values(), ...controllers.values()]) {
      yield* definitionsOf<T>(metatype, mark);
    }
  }
}

/** Those of a class and of the classes it extends, whose methods it may call by `super`. */
function* definitionsOf<T>(type: unknown, mark: symbol): Iterable<T> {
  let prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
  for (; isObject(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== 'function') continue;
      yield* (Reflect.getOwnMetadata(mark, value as object) ?? []) as T[];
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
