import { inspect } from 'node:util';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { MAX_LABEL_LENGTH } from './limits.js';

/** What the value of an option must be. */
export interface Option {
  /** Goes on after "must be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** What to pass instead, as a sentence. */
  readonly remedy: string;
}

/** @throws {ZkLockConfigError} */
export function checkValue(name: string, value: unknown, option: Option): void {
  if (option.accepts(value)) return;
  throw new ZkLockConfigError(
    name,
    `must be ${option.expected}; got ${show(value)}`,
    option.remedy,
  );
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !isArray(value);

export function integer(
  from: number,
  to: number,
  { unit, example }: { unit?: string; example: number },
): Option {
  return {
    expected: `an integer from ${from} to ${to}${unit === undefined ? '' : ` (${unit})`}`,
    accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    remedy: `Pass ${example}.`,
  };
}

/** Milliseconds, fractions too, in a range that the option says. */
export function time(expected: string, accepts: (ms: number) => boolean, remedy: string): Option {
  return {
    expected,
    accepts: (value) => typeof value === 'number' && accepts(value),
    remedy,
  };
}

export function oneOf(...names: readonly string[]): Option {
  const quoted = names.map((name) => `'${name}'`);
  return {
    expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`,
    accepts: (value) => names.some((name) => name === value),
    remedy: 'Leave it out for the default.',
  };
}

export const boolean: Option = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  remedy: 'Leave it out for the default.',
};

/** People see it in queues, metrics and traces. */
export const shownText: Option = {
  expected: `a string of 1 to ${MAX_LABEL_LENGTH} characters`,
  accepts: (value) => typeof value === 'string' && value !== '' && value.length <= MAX_LABEL_LENGTH,
  remedy: 'Shorten it, or leave it out.',
};

export const signal: Option = {
  expected: 'an AbortSignal',
  accepts: isAbortSignal,
  remedy: 'Pass `controller.signal`.',
};

export function object(remedy: string, orFalse?: 'or false'): Option {
  return {
    expected: orFalse ? 'an object, or false' : 'an object',
    accepts: (value) => isObject(value) || (orFalse !== undefined && value === false),
    remedy,
  };
}

export function array(remedy: string): Option {
  return { expected: 'an array', accepts: isArray, remedy };
}

export function func(expected: string, remedy: string): Option {
  return { expected, accepts: (value) => typeof value === 'function', remedy };
}

/** Its own kind, or a function that gives it for each call. */
export function orFunction({ expected, accepts, remedy }: Option): Option {
  return {
    expected: `${expected}, or a function`,
    accepts: (value) => typeof value === 'function' || accepts(value),
    remedy,
  };
}

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
