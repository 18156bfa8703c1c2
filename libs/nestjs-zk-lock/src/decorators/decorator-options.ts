import { Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { ZkLockConfigError } from 'zk-locks';
import { cleanText, type OptionName, OPTIONS, orFunction, show } from 'zk-locks/internal';
import type { DecoratorWords } from './decorator-errors.js';

/** What every decorator that waits for something can be told. */
export interface GuardedOptions<Args extends unknown[] = unknown[]> {
  readonly timeoutMs?: number | ((...args: Args) => number | undefined);
  readonly onBusy?: OnBusy;
  readonly connection?: string;
}

/**
 * The options of a decorator: whether each may also be a function of the call's arguments, and which
 * are checked elsewhere.
 */
export type DecoratorOptionKinds<T> = Readonly<
  Record<keyof T & string, 'value' | 'orFunction' | 'unchecked'>
>;

/** What is wrong with a decorator's options, as a clause; nothing when they can be used. */
export function findOptionsProblem(
  options: object,
  kinds: DecoratorOptionKinds<Record<string, unknown>>,
): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return `it has no option \`${name}\`. Use ${Object.keys(kinds).join(', ')}.`;
    if (value === undefined || kind === 'unchecked') continue;
    const option = OPTIONS[name as OptionName];
    const { accepts, expected, remedy } = kind === 'orFunction' ? orFunction(option) : option;
    if (!accepts(value))
      return `its option \`${name}\` must be ${expected}; got ${show(value)}. ${remedy}`;
  }
  return undefined;
}

/**
 * What an option comes to in one call, where it may be a function of the call's arguments.
 *
 * @throws {ZkLockConfigError} where that function throws
 */
export function resolveOption<T>(
  name: string,
  option: T | ((...args: never[]) => T),
  args: readonly unknown[],
): T {
  if (typeof option !== 'function') return option;
  try {
    return (option as (...args: readonly unknown[]) => T)(...args);
  } catch (cause) {
    throw new ZkLockConfigError(
      name,
      'is a function that throws',
      'Let it return; the `cause` says more.',
      {
        cause,
      },
    );
  }
}

/**
 * As {@link resolveOption}, checked as the plain value is.
 *
 * @throws {ZkLockConfigError}
 */
export function resolveChecked<T>(
  name: OptionName,
  option: T | ((...args: never[]) => T),
  args: readonly unknown[],
): T {
  const value = resolveOption(name, option, args);
  const { accepts, expected } = OPTIONS[name];
  if (value === undefined || accepts(value)) return value;
  throw new ZkLockConfigError(
    name,
    `must be ${expected}; got ${show(value)}`,
    'See what its function returns.',
  );
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
      : { 'the answer in place of the method has another type': Answer<Busy> };

/**
 * What a call is answered with whose method does not run.
 *
 * @param reason why, as a clause
 * @throws what the function throws
 */
export function answerInstead(
  { method, decorator }: { readonly method: string; readonly decorator: DecoratorWords },
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
