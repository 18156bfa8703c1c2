import { types } from 'node:util';
import type { DecoratorWords } from './decorator-words.js';
import { LockedDecoratorError } from './guarded-errors.js';

/** A generator, or an async iterator: its work is done when somebody reads it. */
export interface LazyResult {
  return?(): unknown;
}

/** Not any iterator: that of a `Map`, for one, has no work of its own to do. */
export function isLazyResult(result: unknown): result is LazyResult {
  if (types.isGeneratorObject(result)) return true;
  const { next, [Symbol.asyncIterator]: iterate } = (result ?? {}) as {
    next?: unknown;
    [Symbol.asyncIterator]?: unknown;
  };
  return typeof next === 'function' && typeof iterate === 'function';
}

/**
 * Ends it while what its method holds is still held, for it may have begun already.
 *
 * @param remedy what to return instead, as a sentence
 * @throws {LockedDecoratorError}
 */
export async function refuseLazyResult(
  result: LazyResult,
  method: string,
  decorator: DecoratorWords,
  remedy: string,
): Promise<never> {
  try {
    await result.return?.();
  } catch {
    // What it throws at its end is the lesser error.
  }
  const problem = `it returned a generator or an async iterator, which would do its work when it is read, and nothing is held then. ${remedy}`;
  throw new LockedDecoratorError(method, problem, { decorator });
}
