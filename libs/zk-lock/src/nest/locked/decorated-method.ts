import { LOCKED_METADATA, ONLY_LEADER_METADATA } from '../zk-lock.constants.js';
import type { DecoratorWords } from './decorator-words.js';
import { LockedDecoratorError } from './locked-errors.js';

type AnyMethod = (...args: unknown[]) => unknown;

export type MethodDescriptor = TypedPropertyDescriptor<AnyMethod> & { value: AnyMethod };

/** Whether one of our decorators already wraps the method. */
export function isDecorated(method: object): boolean {
  return [LOCKED_METADATA, ONLY_LEADER_METADATA].some((name) =>
    Reflect.hasOwnMetadata(name, method),
  );
}

/** `Class.method`, for messages. */
export function describeMethod(target: unknown, propertyKey: unknown): string {
  const owner = typeof target === 'function' ? target : (target as object | undefined)?.constructor;
  const name = owner?.name ?? '(unknown class)';
  const isName = typeof propertyKey === 'string' || typeof propertyKey === 'symbol';
  return isName ? `${name}.${String(propertyKey)}` : name;
}

/** @throws {LockedDecoratorError} when a decorator does not stand on an instance's method */
export function checkPlace(
  method: string,
  target: object,
  descriptor: unknown,
  decorator: DecoratorWords,
): asserts descriptor is MethodDescriptor {
  if (typeof target === 'function' && typeof descriptor === 'object') {
    const problem = `it stands on a static method, which belongs to no application. Make it a method of a provider, or call ${decorator.instead}.`;
    throw new LockedDecoratorError(method, problem, { decorator });
  }
  if (typeof (descriptor as Partial<PropertyDescriptor> | undefined)?.value !== 'function') {
    const problem =
      'it stands on something that is not a method. Put it on a method, and set `experimentalDecorators` in tsconfig.json, as Nest needs it.';
    throw new LockedDecoratorError(method, problem, { decorator });
  }
}
