import { types } from 'node:util';
import type { ModulesContainer } from '@nestjs/core';
import { Observable } from 'rxjs';
import { isArray } from 'zk-locks/framework';
import { type Decorator, DECORATORS, LockedDecoratorError } from './decorator-errors.js';

type AnyMethod = (...args: unknown[]) => unknown;

export type MethodDescriptor = TypedPropertyDescriptor<AnyMethod> & { value: AnyMethod };

/** The method that a decorator is applied to. */
export interface DecoratedMethod {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly propertyKey: string | symbol;
  readonly decorator: Decorator;
  /**
   * Whether it is known to return an Observable, so that the lock is held for each subscription.
   */
  readonly streams: boolean;
  /** Whether another decorator that holds a lock is between this one and the method. */
  readonly wrapsLock: boolean;
  /** Whether `@OnlyLeader()` is between this decorator and the method. */
  readonly wrapsLeader: boolean;
}

/** The part of a definition that all decorators have. */
export interface Definition extends DecoratedMethod {
  /** Stands for its keys in metrics and traces. */
  readonly pattern: string;
  readonly options: { readonly connection?: string; readonly atMostEveryMs?: number };
}

/** Whether one of this library's decorators already wraps the method. */
export function isDecorated(method: object): boolean {
  return DECORATORS.some(({ mark }) => Reflect.hasOwnMetadata(mark, method));
}

/** Whether one of this library's decorators that hold a lock already wraps the method. */
export function hasLock(method: object): boolean {
  return DECORATORS.some(
    ({ mark, holdsLock }) => holdsLock && Reflect.hasOwnMetadata(mark, method),
  );
}

/** The definitions of all of this library's decorators on a method. */
export function definitionsOf(method: object): readonly Definition[] {
  return DECORATORS.flatMap(
    ({ mark }) => (Reflect.getMetadata(mark, method) as readonly Definition[] | undefined) ?? [],
  );
}

/** `Class.method`, for messages. */
export function describeMethod(target: unknown, propertyKey: unknown): string {
  const owner = typeof target === 'function' ? target : (target as object | undefined)?.constructor;
  const name = owner?.name ?? '(unknown class)';
  return isName(propertyKey) ? `${name}.${String(propertyKey)}` : name;
}

function isName(propertyKey: unknown): propertyKey is string | symbol {
  return typeof propertyKey === 'string' || typeof propertyKey === 'symbol';
}

/**
 * Refuses a decorator without parentheses. It gets its place instead of a key, and the decorator that it
 * returns is never called, so the method would run without its lock.
 *
 * @param target its first argument
 * @param propertyKey its second argument
 * @throws {LockedDecoratorError}
 */
export function refuseWithoutParentheses(
  decorator: Decorator,
  target: unknown,
  propertyKey: unknown,
): void {
  const isTarget = typeof target === 'function' || (typeof target === 'object' && !isArray(target));
  if (!isTarget || !isName(propertyKey)) return;
  const method = describeMethod(target, propertyKey);
  const remedy = `Write \`${decorator.name.replace('()', "('key')")}\`.`;
  throw new LockedDecoratorError(method, `it has no parentheses. ${remedy}`, { decorator });
}

/** @throws {LockedDecoratorError} when a decorator is not on an instance method */
export function checkPlace(
  method: string,
  target: object,
  propertyKey: unknown,
  descriptor: unknown,
  decorator: Decorator,
): asserts descriptor is MethodDescriptor {
  if (typeof target === 'function' && typeof descriptor === 'object') {
    const problem = `it is on a static method, which does not belong to an application. Make it an instance method of a provider, or call ${decorator.instead}.`;
    throw new LockedDecoratorError(method, problem, { decorator });
  }
  if (descriptor === undefined && isName(propertyKey)) {
    const name = String(propertyKey);
    const problem = `it is on a property. An arrow function in a property cannot be wrapped, because each object creates its own. Write a method instead: \`async ${name}() {…}\`.`;
    throw new LockedDecoratorError(method, problem, { decorator });
  }
  if (typeof (descriptor as Partial<PropertyDescriptor> | undefined)?.value !== 'function') {
    const problem =
      'it is not on a method. Put it on a method, and set `experimentalDecorators` in tsconfig.json, which Nest requires.';
    throw new LockedDecoratorError(method, problem, { decorator });
  }
}

/**
 * Whether a declared return type is an Observable. Checked by its shape, because the method may use
 * another copy of rxjs.
 */
export function isObservableType(type: unknown): boolean {
  if (type === Observable) return true;
  const { prototype } = (type ?? {}) as {
    prototype?: Partial<Record<'subscribe' | 'pipe', unknown>>;
  };
  return typeof prototype?.subscribe === 'function' && typeof prototype.pipe === 'function';
}

/**
 * The definitions of one decorator on the methods of an application's providers and controllers,
 * and of its guards, pipes, interceptors and middleware.
 */
export function* definitionsIn<T>(modules: ModulesContainer, { mark }: Decorator): Iterable<T> {
  for (const { providers, controllers, injectables, middlewares } of modules.values()) {
    for (const members of [providers, controllers, injectables, middlewares]) {
      for (const { isNotMetatype, instance, metatype } of members.values()) {
        const methods = isNotMetatype ? methodsOfObject(instance) : methodsOfClass(metatype);
        for (const method of methods) yield* (Reflect.getOwnMetadata(mark, method) ?? []) as T[];
      }
    }
  }
}

/** The methods of a class and of its base classes, which it may call through `super`. */
function* methodsOfClass(type: unknown): Iterable<object> {
  let prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
  for (; isPlain(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const [, method] of methodsIn(prototype)) yield method;
  }
}

/** The methods that an object inherits from its classes, except those that it has replaced. */
export function* methodsOfObject(object: unknown): Iterable<object> {
  if (!isPlain(object)) return;
  const seen = new Set<string | symbol>();
  let prototype: unknown = Object.getPrototypeOf(object);
  for (; isPlain(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const [name, method] of methodsIn(prototype)) {
      if (seen.has(name) || Object.hasOwn(object, name)) continue;
      seen.add(name);
      yield method;
    }
  }
}

function* methodsIn(prototype: object): Iterable<[name: string | symbol, method: object]> {
  for (const name of Reflect.ownKeys(prototype)) {
    const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method === 'function') yield [name, method];
  }
}

/** Whether it can be inspected without running its own code: mocks are proxies. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !types.isProxy(value);
}
