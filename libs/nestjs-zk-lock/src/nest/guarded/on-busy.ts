import { Logger } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { cleanText } from 'zk-locks/internal';
import type { DecoratorWords } from './decorator-words.js';
import type { LockableMethod } from './lockable-method.js';

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
