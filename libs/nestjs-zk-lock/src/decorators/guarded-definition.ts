import { types } from 'node:util';
import { type GuardKind, LockKeyError, ZkLockError } from 'zk-locks';
import { messageWithoutLink, readOptions, show } from 'zk-locks/internal';
import type { LockService } from '../lock.service.js';
import { checkPlace, describeMethod, hasLock, isObservableType } from './decorated-method.js';
import { type DecoratorWords, LockedDecoratorError } from './decorator-errors.js';
import {
  type DecoratorOptionKinds,
  findOptionsProblem,
  type GuardedOptions,
} from './decorator-options.js';

/** What is held around a method, be it a lock or permits. */
export interface Held {
  readonly key: string;
  readonly mode: GuardKind;
  readonly signal: AbortSignal;
}

/** The method that a decorator stands on. */
export interface DecoratedMethod {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly decorator: DecoratorWords;
  /** Whether it is known to return an Observable, so that the holding belongs to a subscription. */
  readonly streams: boolean;
  /** Whether another decorator that holds a lock stands between this one and the method. */
  readonly wrapsLock: boolean;
}

/** What one call asks for, besides what its decorator says. */
export interface HoldRequest {
  readonly args: readonly unknown[];
  readonly timeoutMs: number | undefined;
  readonly label: string;
  readonly pattern: string;
  readonly signal: AbortSignal | undefined;
}

/** All that one decorator says which holds something around a method, checked. */
export interface GuardedDefinition<H extends Held = Held> extends DecoratedMethod {
  readonly options: GuardedOptions;
  /** Stands for its keys in metrics and traces. */
  readonly pattern: string;
  /** Waits for it, runs `section`, and releases it when that has settled. */
  readonly hold: <T>(
    service: LockService,
    request: HoldRequest,
    section: (held: H) => Promise<T>,
  ) => Promise<T>;
  /** What the method is called with; the call's own arguments when this is missing. */
  readonly fillIn?: (args: readonly unknown[], held: H) => readonly unknown[];
}

/** @throws {LockedDecoratorError} when the decorator does not stand on an instance's method */
export function defineMethod(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  decorator: DecoratorWords,
): DecoratedMethod {
  const method = describeMethod(target, propertyKey);
  checkPlace(method, target, propertyKey, descriptor, decorator);
  const streams = isObservableType(
    Reflect.getOwnMetadata('design:returntype', target, propertyKey),
  );
  return { method, decorator, streams, wrapsLock: hasLock(descriptor.value) };
}

/**
 * Compiles a decorator's key.
 *
 * @param compile what turns it into a function of a call's arguments, which throws a
 * {@link LockKeyError} when they give no key; here, that names the method
 * @throws {LockedDecoratorError} when `compile` throws
 */
export function defineKey<Key>(
  { method, decorator }: DecoratedMethod,
  key: unknown,
  compile: (key: unknown) => (args: readonly unknown[]) => Key,
): (args: readonly unknown[]) => Key {
  const compute = refuseIfThrows(method, decorator, () => compile(key));
  return (args) => {
    try {
      return compute(args);
    } catch (error) {
      const problem = messageOf(error);
      throw new LockKeyError(`${method} did not run, for it has no key. ${problem}`, {
        cause: error,
      });
    }
  };
}

/**
 * Reads a decorator's options, once and for all calls.
 *
 * @param kinds one for each option there is
 * @throws {LockedDecoratorError}
 */
export function readDecoratorOptions<T extends object>(
  method: string,
  decorator: DecoratorWords,
  given: unknown,
  kinds: DecoratorOptionKinds<T>,
): T {
  const isObject = typeof given === 'object' && given !== null;
  const options = refuseIfThrows(method, decorator, () =>
    readOptions(isObject ? (given as T) : {}),
  );
  const problem = isObject ? findOptionsProblem(options, kinds) : 'its options are not an object.';
  if (problem) throw new LockedDecoratorError(method, problem, { decorator });
  return options as T;
}

/** @throws {LockedDecoratorError} for what `check` throws */
export function refuseIfThrows<T>(method: string, decorator: DecoratorWords, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new LockedDecoratorError(method, messageOf(cause), { decorator, cause });
  }
}

/** What to do about it: keys and options may bring code of their own, which throws anything. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof ZkLockError) return messageWithoutLink(thrown);
  const what = types.isNativeError(thrown) ? `"${thrown.message}"` : show(thrown);
  return `What it was given threw ${what}. Give plain values, and functions that do not throw.`;
}
