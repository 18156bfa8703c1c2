import { types } from 'node:util';
import type { OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { getLockServiceToken } from '../inject-lock-service.decorator.js';
import {
  LOCKED_METADATA,
  ONLY_LEADER_METADATA,
  WITH_PERMIT_METADATA,
} from '../zk-lock.constants.js';
import { type Definition, definitionsIn } from './decorated-method.js';
import { type DecoratorWords, LOCKED, ONLY_LEADER, WITH_PERMIT } from './decorator-errors.js';
import { moduleRefOf, noLockService, notBuiltByNest } from './find-lock-service.js';

const DECORATORS: readonly (readonly [mark: symbol, words: DecoratorWords])[] = [
  [LOCKED_METADATA, LOCKED],
  [ONLY_LEADER_METADATA, ONLY_LEADER],
  [WITH_PERMIT_METADATA, WITH_PERMIT],
];

/** Refuses to start an application with decorated methods of which every call would fail. */
export class SetupCheck implements OnModuleInit {
  constructor(private readonly modules: ModulesContainer) {}

  /** @throws {LockedSetupError} */
  onModuleInit(): void {
    for (const [mark, words] of DECORATORS) {
      this.#checkConnections(mark, words);
      this.#checkObjects(mark, words);
    }
  }

  #checkConnections(mark: symbol, words: DecoratorWords): void {
    for (const { method, options } of definitionsIn<Definition>(this.modules, mark)) {
      if (!this.#hasConnection(options.connection)) {
        throw noLockService(method, options.connection, words);
      }
    }
  }

  #hasConnection(name: string | undefined): boolean {
    const token = getLockServiceToken(name);
    return [...this.modules.values()].some(({ providers }) => providers.has(token));
  }

  /** Those of `useFactory` and `useValue`, to which Nest hands nothing. */
  #checkObjects(mark: symbol, words: DecoratorWords): void {
    for (const { providers } of this.modules.values()) {
      for (const wrapper of providers.values()) {
        if (!wrapper.isNotMetatype) continue;
        for (const method of methodsOf(wrapper.instance)) {
          const definitions = Reflect.getOwnMetadata(mark, method) as Definition[] | undefined;
          if (!definitions?.[0] || moduleRefOf(wrapper.instance)) continue;
          throw notBuiltByNest(definitions[0].method, words);
        }
      }
    }
  }
}

/** The methods that its classes give an object, but for those that it has replaced by its own. */
function* methodsOf(object: unknown): Iterable<object> {
  if (!isPlain(object)) return;
  const seen = new Set<string | symbol>();
  let prototype: unknown = Object.getPrototypeOf(object);
  for (; isPlain(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Reflect.ownKeys(prototype)) {
      if (seen.has(name) || Object.hasOwn(object, name)) continue;
      seen.add(name);
      const property = Object.getOwnPropertyDescriptor(prototype, name);
      if (typeof property?.value === 'function') yield property.value as object;
    }
  }
}

/** Whether it can be looked at without running code of its own: mocks are proxies. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !types.isProxy(value);
}
