import { checkPlace, describeMethod, isDecorated } from './decorated-method.js';
import { LOCKED } from './decorator-words.js';
import { type KeysOf, compileKeys } from './lock-key.js';
import { LockedDecoratorError } from './locked-errors.js';
import { type LockedOptions, findOptionsProblem } from './locked.options.js';
import { isObservableType } from './observable-type.js';

/** All that one `@Locked()` says, checked. */
export interface LockedDefinition {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly keysOf: KeysOf;
  readonly options: LockedOptions;
  /** Whether the method is known to return an Observable, so that the lock belongs to a subscription. */
  readonly streams: boolean;
  /** Whether the method itself runs next, and no other decorator of ours. */
  readonly innermost: boolean;
}

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
  const method = describeMethod(target, propertyKey);
  checkPlace(method, target, descriptor, LOCKED);
  const problem = findOptionsProblem(options);
  if (problem) throw new LockedDecoratorError(method, problem);
  return {
    method,
    keysOf: compile(method, key),
    options: options as LockedOptions,
    streams: isObservableType(Reflect.getOwnMetadata('design:returntype', target, propertyKey)),
    innermost: !isDecorated(descriptor.value),
  };
}

function compile(method: string, key: unknown): KeysOf {
  try {
    return compileKeys(key);
  } catch (cause) {
    throw new LockedDecoratorError(method, (cause as Error).message, { cause });
  }
}
