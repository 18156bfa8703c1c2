import { inspect } from 'node:util';
import { ZkLockConfigError } from './zk-lock-error.js';
import { MAX_LABEL_LENGTH, MAX_TIMER_MS } from './limits.js';

/** The check of an option's value. */
export interface Option {
  /** Follows "must be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** What to pass instead, as a sentence. */
  readonly remedy: string;
  /**
   * Describes a refused value as a clause, if that says more than the value itself; undefined if
   * nothing of it may be shown.
   */
  readonly finding?: (value: unknown) => string | undefined;
}

/** A check for each option of one place. */
export type Schema<T> = Readonly<Record<keyof T & string, Option>>;

/** @throws {ZkLockConfigError} */
export function checkValue(name: string, value: unknown, option: Option): void {
  if (option.accepts(value)) return;
  const { expected, remedy, finding = (refused) => `got ${show(refused)}` } = option;
  const found = finding(value);
  const problem = `must be ${expected}${found === undefined ? '' : `; ${found}`}`;
  throw new ZkLockConfigError(name, problem, remedy);
}

/**
 * The result of `use`.
 *
 * @param problem follows the option's name
 * @throws {ZkLockConfigError} with its cause, when `use` throws
 */
export function attempt<T>(
  name: string,
  use: () => T,
  problem: string | ((cause: unknown) => string),
  remedy: string | (() => string),
): T {
  try {
    return use();
  } catch (cause) {
    const said = typeof problem === 'string' ? problem : problem(cause);
    const advice = typeof remedy === 'string' ? remedy : remedy();
    throw new ZkLockConfigError(name, said, advice, { cause });
  }
}

export const isObject = (value: unknown): value is object =>
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

/** A number of whole milliseconds that a Node timer accepts. */
export const wholeMs = (example: number, least = 1): Option =>
  integer(least, MAX_TIMER_MS, { unit: 'milliseconds', example });

/** A number of milliseconds, possibly fractional, in the range that the option specifies. */
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
    remedy: 'Omit it for the default.',
  };
}

export const boolean: Option = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  remedy: 'Omit it for the default.',
};

/** Shown to people in queues, metrics and traces. */
export const shownText: Option = {
  expected: `a string of 1 to ${MAX_LABEL_LENGTH} characters`,
  accepts: (value) => typeof value === 'string' && value !== '' && value.length <= MAX_LABEL_LENGTH,
  remedy: 'Shorten it, or omit it.',
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

export const methods = (names: readonly string[], remedy: string): Option => ({
  expected: `an object with ${names.map((name) => `\`${name}()\``).join(', ')}`,
  accepts: (value) => {
    // A class may have static methods, such as Nest's `Logger`.
    const given = isObject(value) || typeof value === 'function' ? value : {};
    return names.every((name) => typeof Reflect.get(given, name) === 'function');
  },
  remedy,
});

export function func(expected: string, remedy: string): Option {
  return { expected, accepts: (value) => typeof value === 'function', remedy };
}

const callback = func('a function', 'Pass what is to be called.');

/**
 * Checks what will be called later, by the names of the arguments. All but the first may be
 * omitted.
 *
 * @throws {ZkLockConfigError}
 */
export function checkCallbacks(callbacks: Readonly<Record<string, unknown>>): void {
  const [required] = Object.keys(callbacks);
  for (const [name, given] of Object.entries(callbacks)) {
    if (name === required || given !== undefined) checkValue(name, given, callback);
  }
}

/** A value of the option's own kind, or a function that returns one for each call. */
function orFunction(option: Option): Option {
  return {
    ...option,
    expected: `${option.expected}, or a function`,
    accepts: (value) => typeof value === 'function' || option.accepts(value),
  };
}

/** Checked later, together with the option it depends on. */
export const later: Option = { expected: 'anything', accepts: () => true, remedy: '' };

const LONGEST_SHOWN = 40;

/** A refused value, as messages show it. Runs none of its code, and never throws. */
export function show(value: unknown): string {
  let text: string;
  try {
    const limits = { depth: 1, maxArrayLength: 3, maxStringLength: LONGEST_SHOWN };
    text = inspect(value, { ...limits, customInspect: false, breakLength: Infinity });
  } catch {
    // For example, a revoked proxy.
    text = `something of type ${typeof value}`;
  }
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** Hints for names that are not options, by the name in lower case. */
export type Hints = Readonly<Record<string, Readonly<Record<'problem' | 'remedy', string>>>>;

interface Reading {
  /** Precedes the names in messages. */
  readonly prefix?: string;
  readonly hints?: Hints;
  /** A sentence that follows the names of the options, about those that stand elsewhere. */
  readonly elsewhere?: string;
}

/**
 * Copies the options of a call, reading each once, so that what is checked is what is used,
 * whatever getters and proxies may return the second time.
 *
 * @param known the names of the options; without it, any name is accepted
 * @throws {ZkLockConfigError} when it is not an object, when it cannot be read, or for a name that
 * is not in `known`
 */
export function readOptions<T extends object>(
  given: T | null | undefined,
  known?: readonly string[],
  reading: Reading = {},
): T {
  const names = readNames(given, known, reading);
  return Object.fromEntries(names.map((name) => [name, readProperty(given ?? {}, name)])) as T;
}

/**
 * Like {@link readOptions}, without options that are undefined; each of the others is checked.
 *
 * @throws {ZkLockConfigError}
 */
export function readChecked<T extends object>(
  given: T | null | undefined,
  schema: Schema<T>,
  reading: Reading = {},
): T {
  const { prefix = '' } = reading;
  const options: Record<string, unknown> = {};
  for (const name of readNames(given, Object.keys(schema), reading)) {
    const value = readProperty(given ?? {}, name);
    if (value === undefined) continue;
    checkValue(prefix + name, value, schema[name as keyof T & string]);
    options[name] = value;
  }
  return options as T;
}

/** @throws {ZkLockConfigError} when reading it throws */
export function readProperty(from: object, name: string): unknown {
  const read = (): unknown => (from as Record<string, unknown>)[name];
  return attempt(name, read, 'throws when it is read', 'Pass a plain value.');
}

/** Whether it is a working signal: reading one throws if it merely has the prototype. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  try {
    return value instanceof AbortSignal && typeof value.aborted === 'boolean';
  } catch {
    return false;
  }
}

/** Whether it is an array; false for a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function readNames(
  given: object | null | undefined,
  known: readonly string[] | undefined,
  { prefix = '', hints = {}, elsewhere = '' }: Reading,
): readonly string[] {
  if (given === null || given === undefined) return [];
  const usable = (): string =>
    known ? `Use an object with any of ${known.join(', ')}.` : 'Use a plain object.';
  if (!isObject(given)) checkValue('options', given, object(usable()));
  const names = attempt('options', () => Object.keys(given), 'cannot be read', usable);
  const unknown = names.find((name) => known?.includes(name) === false);
  if (unknown === undefined) return names;
  const use = `Use ${known?.join(', ') ?? ''}.`;
  const { problem = 'is not an option', remedy = `${use} ${elsewhere}`.trimEnd() } =
    hints[unknown.toLowerCase()] ?? {};
  throw new ZkLockConfigError(prefix + unknown, problem, remedy);
}

/** Options by name: an option of a given name is checked in the same way wherever it is given. */
export interface OptionTable<Name extends string> {
  readonly OPTIONS: Readonly<Record<Name, Option>>;
  /** @throws {ZkLockConfigError} */
  readonly checkOption: (name: Name, value: unknown) => void;
  /** The checks of these options. */
  readonly optionsOf: <Some extends Name>(...names: Some[]) => Record<Some, Option>;
  /** The checks of these options if each may also be a function of a call's arguments. */
  readonly functionsOf: <Some extends Name>(...names: Some[]) => Record<Some, Option>;
  /**
   * The checked parts of an option that is an object.
   *
   * @throws {ZkLockConfigError}
   */
  readonly readParts: <T extends object>(option: Name, given: T) => T;
}

export function tableOf<Name extends string>(
  options: Readonly<Record<Name, Option>>,
): OptionTable<Name> {
  const pick = <Some extends Name>(
    names: readonly Some[],
    use: (option: Option) => Option,
  ): Record<Some, Option> => {
    const entries = names.map((name) => [name, use(options[name])] as const);
    return Object.fromEntries(entries) as Record<Some, Option>;
  };
  return {
    OPTIONS: options,
    checkOption: (name, value) => checkValue(name, value, options[name]),
    optionsOf: (...names) => pick(names, (option) => option),
    functionsOf: (...names) => pick(names, orFunction),
    readParts: <T extends object>(option: Name, given: T) => {
      const prefix = `${option}.`;
      const parts = Object.entries<Option>(options).filter(([name]) => name.startsWith(prefix));
      const schema = Object.fromEntries(
        parts.map(([name, part]) => [name.slice(prefix.length), part]),
      );
      return readChecked(given, schema as Schema<T>, { prefix });
    },
  };
}
