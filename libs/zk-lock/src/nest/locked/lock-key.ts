import { LockKeyError } from '../../locks/lock-errors.js';
import { parseKeyTemplate, renderKey } from './key-template.js';

/**
 * Names the lock of one call: a text, a text with holes for the method's arguments
 * (`'order:{0.id}'`), or a synchronous function of those arguments.
 *
 * @publicApi
 */
export type LockKey<Args extends unknown[] = unknown[]> = string | ((...args: Args) => string);

/** Turns the arguments of a call into the key of its lock. */
export type KeyOf = (args: readonly unknown[]) => string;

/**
 * Checks a key once, so that what is wrong with it shows before the first call.
 *
 * @throws {LockKeyError} when it is empty, not a key at all, or a malformed template
 */
export function compileKey(key: unknown): KeyOf {
  if (typeof key === 'function') {
    return (args) => checkKey((key as (...args: readonly unknown[]) => unknown)(...args));
  }
  if (typeof key !== 'string' || key === '') {
    throw new LockKeyError(
      `A lock's key must be a text or a function, not ${describe(key)}. Write for example 'order:{0.id}'.`,
    );
  }
  const template = parseKeyTemplate(key);
  return (args) => renderKey(template, args);
}

function checkKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key;
  throw new LockKeyError(
    `The key function returned ${describe(key)}. It must return a text that is not empty, and must not be async.`,
  );
}

function describe(value: unknown): string {
  if (value === '') return 'an empty text';
  if (value instanceof Promise) return 'a promise';
  return value === null ? 'null' : typeof value;
}
