import { ZkLockConfigError } from '../zk-lock-error.js';
import { isAbortSignal, isArray, show } from './given.js';
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
