import { Observable } from 'rxjs';
import { type KeysOf, compileKeys } from './lock-key.js';
import { LockedDecoratorError } from './locked-errors.js';
import { type LockedOptions, findOptionsProblem } from './locked.options.js';
import { LOCKED_METADATA } from '../zk-lock.constants.js';

/** All that one `@Locked()` says, checked. */
export interface LockedDefinition {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly keysOf: KeysOf;
  readonly options: LockedOptions;
  /** Whether the method is known to return an Observable, so that the lock belongs to a subscription. */
  readonly streams: boolean;
  /** Whether the method itself runs next, and not a second `@Locked()` around it. */
  readonly innermost: boolean;
}

type AnyMethod = (...args: unknown[]) => unknown;

export type MethodDescriptor = TypedPropertyDescriptor<AnyMethod> & { value: AnyMethod };

/**
 * @throws {LockedDecoratorError} when `@Locked()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineLocked(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  options: unknown,
): LockedDefinition {
  const method = describe(target, propertyKey);
  checkPlace(method, target, descriptor);
  const problem = findOptionsProblem(options);
  if (problem) throw new LockedDecoratorError(method, problem);
  return {
    method,
    keysOf: compile(method, key),
    options: options as LockedOptions,
    streams: isObservableType(Reflect.getOwnMetadata('design:returntype', target, propertyKey)),
    innermost: !Reflect.hasOwnMetadata(LOCKED_METADATA, descriptor.value),
  };
}

function checkPlace(
  method: string,
  target: object,
  descriptor: unknown,
): asserts descriptor is MethodDescriptor {
  if (typeof target === 'function' && typeof descriptor === 'object') {
    const problem =
      'it stands on a static method, which belongs to no application. Make it a method of a provider, or call LockService.withLock().';
    throw new LockedDecoratorError(method, problem);
  }
  if (typeof (descriptor as Partial<PropertyDescriptor> | undefined)?.value !== 'function') {
    const problem =
      'it stands on something that is not a method. Put it on a method, and set `experimentalDecorators` in tsconfig.json, as Nest needs it.';
    throw new LockedDecoratorError(method, problem);
  }
}

function compile(method: string, key: unknown): KeysOf {
  try {
    return compileKeys(key);
  } catch (cause) {
    throw new LockedDecoratorError(method, (cause as Error).message, { cause });
  }
}

function describe(target: unknown, propertyKey: unknown): string {
  const owner = typeof target === 'function' ? target : (target as object | undefined)?.constructor;
  const name = owner?.name ?? '(unknown class)';
  const isName = typeof propertyKey === 'string' || typeof propertyKey === 'symbol';
  return isName ? `${name}.${String(propertyKey)}` : name;
}

/** By shape: the method may use another copy of rxjs. */
function isObservableType(type: unknown): boolean {
  if (type === Observable) return true;
  const { prototype } = (type ?? {}) as {
    prototype?: Partial<Record<'subscribe' | 'pipe', unknown>>;
  };
  return typeof prototype?.subscribe === 'function' && typeof prototype.pipe === 'function';
}
