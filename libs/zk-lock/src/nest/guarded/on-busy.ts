import { Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { cleanText } from '../../clean-text.js';
import { type LockTimeoutError, nameGuard } from '../../locks/lock-errors.js';
import type { DecoratorWords } from './decorator-words.js';
import type { LockableMethod } from './lockable-method.js';

/**
 * What a call comes to whose lock or permits are not free in time: `throw` rejects with the
 * `LockTimeoutError`; `skip` resolves to `undefined` without running the method; a function of the
 * method's arguments answers in its place.
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
      : { 'onBusy answers with something else than the method': Answer<Busy> };

export function checkOnBusyOption(value: unknown): string | undefined {
  if (value === 'throw' || value === 'skip' || typeof value === 'function') return undefined;
  return "is neither 'throw' nor 'skip', nor a function of the method's arguments. For a fixed answer write `() => answer`";
}

/**
 * What a call is answered with that found the lock or the permits busy.
 *
 * @throws what the function of `onBusy` throws
 */
export function answerBusy(
  { method, decorator }: { readonly method: string; readonly decorator: DecoratorWords },
  onBusy: Exclude<OnBusy, 'throw'>,
  { mode, key }: LockTimeoutError,
  args: readonly unknown[],
): unknown {
  const guard = cleanText(nameGuard(mode, key));
  Logger.debug(`${method} is skipped: the ${guard} is busy.`, decorator.name);
  return onBusy === 'skip' ? undefined : onBusy(...args);
}
