import { UseInterceptors } from '@nestjs/common';
import { isDecorated, type MethodDescriptor } from './decorated-method.js';
import { LockedInterceptor } from './locked.interceptor.js';

/** One call of a decorated method. */
export interface MethodCall {
  readonly instance: unknown;
  readonly args: readonly unknown[];
  /** Runs the method that the decorator wraps. */
  readonly invoke: (args: readonly unknown[]) => unknown;
}

/**
 * Puts `call` in front of a method, and leaves a mark of it there.
 *
 * @param mark the metadata key under which the definitions of one decorator are listed, innermost
 * first
 */
export function wrapMethod(
  descriptor: MethodDescriptor,
  mark: symbol,
  definition: { readonly method: string },
  call: (call: MethodCall) => unknown,
): void {
  const method = descriptor.value;
  descriptor.value = new Proxy(method, {
    apply: (_method, instance: unknown, args: unknown[]) =>
      call({ instance, args, invoke: (finalArgs) => Reflect.apply(method, instance, finalArgs) }),
  });
  copyMetadata(method, descriptor.value);
  const inner = Reflect.getOwnMetadata(mark, method) as object[] | undefined;
  Reflect.defineMetadata(mark, [...(inner ?? []), definition], descriptor.value);
  if (isDecorated(method)) return;
  UseInterceptors(LockedInterceptor)(definition, definition.method, descriptor);
}

/** Route, schedule and event decorators leave their marks on the function, which Nest reads later. */
function copyMetadata(from: object, to: object): void {
  for (const name of Reflect.getOwnMetadataKeys(from) as unknown[]) {
    Reflect.defineMetadata(name, Reflect.getOwnMetadata(name, from), to);
  }
}
