import { checkFunction } from './grant/guarded.js';

/** What is run while something is held. */
export type Work<Held, T> = (held: Held) => T | PromiseLike<T>;

/** The arguments behind the key. */
export type OptionsAndWork<Options, Held, T> =
  [work: Work<Held, T>] | [options: Options, work: Work<Held, T>];

/** @throws {ZkLockConfigError} when there is nothing to run */
export function optionsAndWork<Options extends object, Held, T>(
  given: OptionsAndWork<Options, Held, T>,
): [options: Options, work: Work<Held, T>] {
  const [options, work] = given.length === 1 ? [undefined, given[0]] : given;
  checkFunction(work);
  return [options ?? ({} as Options), work];
}
