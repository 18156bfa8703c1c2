import { inspect } from 'node:util';
import { ZkLockConfigError } from '../zk-lock-error.js';

const LONGEST_SHOWN = 40;

/** A value that is refused, as messages show it. Runs none of its code, and never throws. */
export function show(value: unknown): string {
  let text: string;
  try {
    const limits = { depth: 1, maxArrayLength: 3, maxStringLength: LONGEST_SHOWN };
    text = inspect(value, { ...limits, customInspect: false, breakLength: Infinity });
  } catch {
    // A proxy that was revoked, for one.
    text = `something of type ${typeof value}`;
  }
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/**
 * A copy of the options that a call was given: each is read once, so that what is checked is what
 * is used, whatever getters and proxies may say the second time.
 *
 * @param known their names; without them, any
 * @throws {ZkLockConfigError} for what is no object, for one that cannot be read, and for a name that
 * is not among `known`
 */
export function readOptions<T extends object>(
  given: T | null | undefined,
  known?: readonly string[],
): T {
  if (given === null || given === undefined) return {} as T;
  const names = readNames(given, known);
  const unknown = names.find((name) => known?.includes(name) === false);
  if (unknown !== undefined) {
    throw new ZkLockConfigError(unknown, 'is no option', `Use ${known?.join(', ')}.`);
  }
  return Object.fromEntries(names.map((name) => [name, readProperty(given, name)])) as T;
}

/** @throws {ZkLockConfigError} where reading it throws */
export function readProperty(from: object, name: string): unknown {
  try {
    return (from as Record<string, unknown>)[name];
  } catch (cause) {
    throw new ZkLockConfigError(name, 'throws when it is read', 'Give a plain value.', { cause });
  }
}

/** Whether it is a signal that works: with the prototype alone, reading it throws. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  try {
    return value instanceof AbortSignal && typeof value.aborted === 'boolean';
  } catch {
    return false;
  }
}

/** Whether it is an array; a proxy that was revoked is none. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function readNames(given: object, known: readonly string[] | undefined): string[] {
  try {
    if (typeof given === 'object' && !Array.isArray(given)) return Object.keys(given);
  } catch (cause) {
    throw new ZkLockConfigError('options', 'cannot be read', useAnyOf(known), { cause });
  }
  throw new ZkLockConfigError('options', `must be an object; got ${show(given)}`, useAnyOf(known));
}

function useAnyOf(known: readonly string[] | undefined): string {
  return known ? `Use an object with any of ${known.join(', ')}.` : 'Use a plain object.';
}
