import { types } from 'node:util';
import { Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type LockKind, type LastRun, LockKeyError, ZkLockError } from 'zk-locks';
import { cleanText, messageWithoutLink, nameProcess } from 'zk-locks/inspect';
import { show } from 'zk-locks/internal';
import type { LockService } from '../lock.service.js';
import { checkPlace, describeMethod, hasLock, isObservableType } from './decorated-method.js';
import { type Decorator, LockedDecoratorError } from './decorator-errors.js';

/** What is held around a method: a lock or permits. */
export interface Held {
  readonly key: string;
  readonly mode: LockKind;
  readonly signal: AbortSignal;
}

/** The method is not to be called now; the message is a clause that says why. */
export class SkippedError extends Error {}

/** A run of its job has begun too short a time ago. */
export class NotDueError extends SkippedError {
  constructor(key: string, run: LastRun) {
    super(`the job "${key}" has run at ${run.since.toISOString()}, by ${nameProcess(run)}`);
  }
}

/** The method that a decorator stands on. */
export interface DecoratedMethod {
  /** `Class.method`, for messages. */
  readonly method: string;
  readonly decorator: Decorator;
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
  /** The key of a job, which runs at most once in a time. */
  readonly job?: string | undefined;
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
  decorator: Decorator,
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
  method: DecoratedMethod,
  key: unknown,
  compile: (key: unknown) => (args: readonly unknown[]) => Key,
): (args: readonly unknown[]) => Key {
  const compute = refuseIfThrows(method, () => compile(key));
  return (args) => {
    try {
      return compute(args);
    } catch (error) {
      const problem = messageOf(error);
      throw new LockKeyError(`${method.method} did not run, for it has no key. ${problem}`, {
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

/** @throws {LockedDecoratorError} for what `check` throws */
export function refuseIfThrows<T>(method: DecoratedMethod, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw refusal(method, messageOf(cause), { cause });
  }
}

/** What to do about it: keys and options may bring code of their own, which throws anything. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof ZkLockError) return messageWithoutLink(thrown);
  const what = types.isNativeError(thrown) ? `"${thrown.message}"` : show(thrown);
  return `What it was given threw ${what}. Give plain values, and functions that do not throw.`;
}

/** What every decorator that waits for something can be told. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined);
  readonly onBusy?: OnBusy;
  readonly atMostEveryMs?: number;
  readonly connection?: string;
}

/**
 * What a call comes to whose method may not run: `onBusy` where its lock or permits are not free in
 * time, `onFollower` where this process does not lead. `throw` rejects with the error that says so;
 * `skip` resolves to `undefined`; a function of the method's arguments answers in its place.
 *
 * @publicApi
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, whatever their types
export type OnBusy = 'throw' | 'skip' | ((...args: any[]) => unknown);

/** The arguments that it takes. */
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

/** Shows in the compiler's message when callers of the method would be given another type. */
export type AnswersFor<Method extends LockableMethod, Busy extends OnBusy> =
  unknown extends Answer<Busy>
    ? unknown
    : [Answer<Busy>] extends [Accepted<ReturnType<Method>>]
      ? unknown
      : Busy extends 'skip'
        ? { 'declare the result as': Promise<Awaited<ReturnType<Method>> | undefined> }
        : { 'the answer in place of the method has another type': Answer<Busy> };

/**
 * What a call is answered with whose method does not run.
 *
 * @param reason why, as a clause
 * @throws what the function throws
 */
export function answerInstead(
  { method, decorator }: DecoratedMethod,
  answer: Exclude<OnBusy, 'throw'>,
  reason: string,
  args: readonly unknown[],
): unknown {
  Logger.debug(`${method} is skipped: ${cleanText(reason)}.`, decorator.name);
  return answer === 'skip' ? undefined : answer(...args);
}

/**
 * A method `@Locked()` and `@WithPermit()` can stand on: waiting takes time, so it must be
 * asynchronous.
 *
 * @publicApi
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, whatever their types
export type LockableMethod = (...args: any[]) => Promise<unknown> | Observable<unknown>;

/** Shows in the compiler's message when a function was written for other arguments. */
export type TakesArgumentsOf<Method extends LockableMethod, Args extends unknown[]> = ((
  ...args: Args
) => void) extends (...args: Parameters<Method>) => void
  ? unknown
  : { 'a function takes other arguments than the method': Args };
