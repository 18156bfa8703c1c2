import { types } from 'node:util';
import { LockKeyError } from 'zk-locks';
import { describeKeyValue, isArray, MAX_LABEL_LENGTH } from 'zk-locks/internal';
import { parseKeyTemplate, renderKey } from './key-template.js';

/**
 * Names the lock or the semaphore of one call: a text, a text with holes for the method's arguments
 * (`'order:{0.id}'`), or a synchronous function of those arguments.
 *
 * @publicApi
 */
export type LockKey<Args extends unknown[] = unknown[]> = string | ((...args: Args) => string);

/**
 * Names the locks of one call, which are taken together: one {@link LockKey}, an array of them, or a
 * function of the arguments that gives an array.
 *
 * @publicApi
 */
export type LockKeys<Args extends unknown[] = unknown[]> =
  LockKey<Args> | readonly LockKey<Args>[] | ((...args: Args) => readonly string[]);

/** Turns the arguments of a call into the keys of its locks. */
export type KeysOf = (args: readonly unknown[]) => readonly string[];

/** Turns the arguments of a call into its one key. */
export type KeyOf = (args: readonly unknown[]) => string;

/**
 * Checks keys once, so that what is wrong with them shows before the first call.
 *
 * @throws {LockKeyError} when one is empty, not a key at all, or a malformed template
 */
export function compileKeys(keys: unknown): KeysOf {
  // Not by map(), which passes over holes.
  const compiled = Array.from(isArray(keys) ? keys : [keys], compile);
  if (compiled.length === 0) {
    throw new LockKeyError(
      "The array of keys is empty. Name at least one, as in ['order:{0.id}'].",
    );
  }
  return (args) => compiled.flatMap((compute) => checkResults(compute(args)));
}

/** As {@link compileKeys}, where there can be one key only. */
export function compileKey(key: unknown): KeyOf {
  const compute = compile(key);
  return (args) => checkResult(compute(args));
}

/** The key that all calls have; undefined where it depends on their arguments. */
export function fixedKeyOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return undefined;
  const template = parseKeyTemplate(key);
  return template.every((part) => typeof part === 'string') ? renderKey(template, []) : undefined;
}

/**
 * What stands for the keys of a decorated method in metrics and traces: their texts, with the holes
 * that they have, or the name of the method where a function makes them.
 */
export function patternOf(keys: unknown, method: string): string {
  const all = isArray(keys) ? Array.from(keys) : [keys];
  const areTexts = all.every((key) => typeof key === 'string');
  return (areTexts ? all.join(', ') : method).slice(0, MAX_LABEL_LENGTH);
}

function compile(key: unknown): (args: readonly unknown[]) => unknown {
  if (types.isAsyncFunction(key)) {
    throw new LockKeyError(
      'The key function is async, and a key must be known at once. Compute it from the arguments alone, or await what it needs before you call LockService.withLock().',
    );
  }
  if (typeof key === 'function') {
    return (args) => (key as (...args: readonly unknown[]) => unknown)(...args);
  }
  if (typeof key !== 'string' || key === '') {
    throw new LockKeyError(
      `The key must be a text or a function, not ${describeKeyValue(key).kind}. Write for example 'order:{0.id}'.`,
    );
  }
  const template = parseKeyTemplate(key);
  return (args) => renderKey(template, args);
}

function checkResults(result: unknown): readonly string[] {
  if (!isArray(result)) return [checkResult(result)];
  if (result.length > 0) return Array.from(result, checkResult);
  throw new LockKeyError('The key function returned no keys. It must return at least one.');
}

function checkResult(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key;
  const { kind, example } = describeKeyValue(key);
  const remedy = example && `, as in (${example.name}) => ${example.key}`;
  throw new LockKeyError(
    `The key function returned ${kind}. It must return a text that is not empty, and must not be async${remedy ?? ''}.`,
  );
}
