import type { Observable } from 'rxjs';

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
