import { types } from 'node:util';
import { Logger } from '@nestjs/common';
import { isObservable, type Observable } from 'rxjs';
import { type LockKind, LockKeyError, ZkLockError } from 'zk-locks';
import { cleanText, messageWithoutLink } from 'zk-locks/inspect';
import { show } from 'zk-locks/framework';
import type { LockService } from '../lock.service.js';
import type { HandlerScope } from './current.js';
import {
  checkPlace,
  type DecoratedMethod,
  type Definition,
  describeMethod,
  hasLock,
  isObservableType,
} from './decorated-method.js';
import { type Decorator, LockedDecoratorError, ONLY_LEADER } from './decorator-errors.js';

/** What is held around a method: a lock or permits. */
export interface Held {
  readonly key: string;
  readonly mode: LockKind;
  readonly signal: AbortSignal;
}

/** The method is not called now. The message is a clause that says why. */
export class SkippedError extends Error {}

/** The options of one call, besides those of its decorator. */
export interface HoldRequest {
  readonly args: readonly unknown[];
  readonly timeoutMs: number | undefined;
  readonly label: string;
  readonly pattern: string;
  readonly signal: AbortSignal | undefined;
}

/** The checked definition of one decorator that holds something around a method. */
export interface GuardedDefinition<H extends Held = Held> extends Definition {
  readonly options: GuardedOptions;
  /** The key of a job, which runs at most once in a given time. */
  readonly job?: string | undefined;
  /** Waits for the lock or permits, runs `section`, and releases them when it has settled. */
  readonly hold: <T>(
    service: LockService,
    request: HoldRequest,
    section: (held: H) => Promise<T>,
  ) => Promise<T>;
  /** Replaces the arguments of the method; without it, the method gets the call's own arguments. */
  readonly fillIn?: (args: readonly unknown[], held: H) => readonly unknown[];
}

/** @throws {LockedDecoratorError} when the decorator is not on an instance method */
export function defineMethod(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  decorator: Decorator,
): DecoratedMethod {
  const method = describeMethod(target, propertyKey);
  checkPlace(method, target, propertyKey, descriptor, decorator);
  const streams = isObservableType(
    Reflect.getOwnMetadata('design:returntype', target, propertyKey),
  );
  const wrapsLeader = Reflect.hasOwnMetadata(ONLY_LEADER.mark, descriptor.value);
  const wrapsLock = hasLock(descriptor.value);
  return { method, propertyKey, decorator, streams, wrapsLock, wrapsLeader };
}

/**
 * Followers take part in the competition for a lock that is taken before it is known who leads.
 *
 * @param options those that may skip the call of the leader meanwhile
 * @throws {LockedDecoratorError}
 */
export function refuseAboveLeader(
  method: DecoratedMethod,
  options: Pick<GuardedOptions, 'onBusy' | 'atMostEveryMs'> & { readonly minHoldMs?: unknown },
): void {
  const { onBusy = 'throw', atMostEveryMs, minHoldMs } = options;
  if (!method.wrapsLeader) return;
  if (onBusy === 'throw' && atMostEveryMs === undefined && minHoldMs === undefined) return;
  const problem =
    'it is above @OnlyLeader(), so a follower would compete with the leader, whose calls its options can skip. Write it below @OnlyLeader().';
  throw refusal(method, problem);
}

/**
 * Compiles a decorator's key.
 *
 * @param compile turns the key into a function of a call's arguments, which throws a
 * {@link LockKeyError} if they yield no key; the error is extended by the name of the method
 * @throws {LockedDecoratorError} when `compile` throws
 */
export function defineKey<Key>(
  method: DecoratedMethod,
  key: unknown,
  compile: (key: unknown) => (args: readonly unknown[]) => Key,
): (args: readonly unknown[]) => Key {
  const compute = refuseIfThrows(method, () => compile(key));
  return (args) => {
    try {
      return compute(args);
    } catch (error) {
      const problem = messageOf(error, {
        work: 'Computing it from the arguments',
        remedy: 'Correct the arguments, or the key function.',
      });
      throw new LockKeyError(`${method.method} did not run, because it has no key. ${problem}`, {
        cause: error,
      });
    }
  };
}

/** @param problem a clause, and what to do about it */
export function refusal(
  { method, decorator }: Pick<DecoratedMethod, 'method' | 'decorator'>,
  problem: string,
  options?: ErrorOptions,
): LockedDecoratorError {
  return new LockedDecoratorError(method, problem, { decorator, ...options });
}

/** @throws {LockedDecoratorError} for whatever `check` throws */
export function refuseIfThrows<T>(method: DecoratedMethod, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw refusal(method, messageOf(cause), { cause });
  }
}

const OF_ARGUMENTS = {
  work: 'Reading its arguments',
  remedy: 'Pass plain values.',
};

/** Keys and options may contain code of the user's, which can throw anything. */
function messageOf(thrown: unknown, { work, remedy } = OF_ARGUMENTS): string {
  if (thrown instanceof ZkLockError) return messageWithoutLink(thrown);
  const what = types.isNativeError(thrown) ? `"${thrown.message}"` : show(thrown);
  return `${work} threw ${what}. ${remedy}`;
}

/** The options of every decorator that waits. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined) | undefined;
  readonly onBusy?: OnBusy | undefined;
  readonly atMostEveryMs?: number | undefined;
  readonly connection?: string | undefined;
}

/**
 * What happens to a call whose method may not run: `onBusy` applies if its lock or permits do not
 * become free in time, `onFollower` if this process does not lead. `throw` rejects with the error
 * for that. `skip` resolves to `undefined`. A function of the method's arguments provides the
 * result instead.
 *
 * @publicApi
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, whatever their types
export type OnBusy = 'throw' | 'skip' | ((...args: any[]) => unknown);

/** The arguments that the function takes. */
export type BusyArgs<Busy extends OnBusy> = Busy extends (...args: infer Args) => unknown
  ? Args
  : unknown[];

type Answer<Busy extends OnBusy> = Busy extends (...args: never[]) => infer Result
  ? Result
  : Busy extends 'skip'
    ? undefined
    : never;

type Accepted<Returned> =
  Returned extends Promise<infer Result>
    ? Result | PromiseLike<Result>
    : Returned extends Observable<infer Value>
      ? Value | PromiseLike<Value> | Observable<Value> | undefined
      : never;

/** Appears in the compiler's message when callers of the method would get another type. */
export type AnswersFor<Method extends LockableMethod, Busy extends OnBusy> =
  unknown extends Answer<Busy>
    ? unknown
    : [Answer<Busy>] extends [Accepted<ReturnType<Method>>]
      ? unknown
      : Busy extends 'skip'
        ? { 'declare the result as': Promise<Awaited<ReturnType<Method>> | undefined> }
        : { 'the answer in place of the method has another type': Answer<Busy> };

/**
 * The result of a call whose method does not run.
 *
 * @param scope that of the call
 * @param reason why, as a clause
 * @throws whatever the function throws
 */
export async function answerInstead(
  { method, decorator }: DecoratedMethod,
  scope: HandlerScope | undefined,
  answer: Exclude<OnBusy, 'throw'>,
  reason: string,
  args: readonly unknown[],
): Promise<unknown> {
  scope?.onSkipped();
  Logger.debug(`${method} is skipped: ${cleanText(reason)}.`, decorator.name);
  const provided: unknown = answer === 'skip' ? undefined : await answer(...args);
  if (isObservable(provided)) scope?.onRun();
  return provided;
}

/**
 * A method that can have `@Locked()` or `@WithPermit()`. It must be asynchronous, because waiting
 * takes time.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, whatever their types
export type LockableMethod = (...args: any[]) => Promise<unknown> | Observable<unknown>;

/** Appears in the compiler's message when a function takes other arguments than the method. */
export type TakesArgumentsOf<Method extends LockableMethod, Args extends unknown[]> = ((
  ...args: Args
) => void) extends (...args: Parameters<Method>) => void
  ? unknown
  : { 'a function takes other arguments than the method': Args };
