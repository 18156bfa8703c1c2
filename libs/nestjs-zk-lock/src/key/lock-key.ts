import { types } from 'node:util';
import { LockKeyError } from 'zk-locks';
import { describeKeyValue, isArray, MAX_LABEL_LENGTH, percentEncode } from 'zk-locks/framework';

/**
 * Names the lock or the semaphore of one call: a fixed string, a template with placeholders for the
 * method's arguments (`'order:{0.id}'`), or a synchronous function of those arguments.
 *
 * @publicApi
 */
export type LockKey<Args extends unknown[] = unknown[]> = string | ((...args: Args) => string);

/**
 * Names the locks of one call, which are taken together: one {@link LockKey}, an array of them, or
 * a function of the arguments that returns an array.
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
 * Checks keys once, so that mistakes are found before the first call.
 *
 * @throws {LockKeyError} when one is empty, not a valid key, or a malformed template
 */
export function compileKeys(keys: unknown): KeysOf {
  // Not map(), which skips holes of an array.
  const compiled = Array.from(isArray(keys) ? keys : [keys], compile);
  if (compiled.length === 0) {
    throw new LockKeyError(
      "The array of keys is empty. Pass at least one key, as in ['order:{0.id}'].",
    );
  }
  return (args) => compiled.flatMap((compute) => checkResults(compute(args)));
}

/** Like {@link compileKeys}, for a single key. */
export function compileKey(key: unknown): KeyOf {
  const compute = compile(key);
  return (args) => checkResult(compute(args));
}

/** The key that all calls share; undefined if it depends on their arguments. */
export function fixedKeyOf(key: unknown): string | undefined {
  if (typeof key !== 'string') return undefined;
  const template = parseKeyTemplate(key);
  return template.every((part) => typeof part === 'string') ? renderKey(template, []) : undefined;
}

/**
 * The name of a decorated method's keys in metrics and traces: their texts, with their
 * placeholders, or the name of the method if a function creates them.
 */
export function patternOf(keys: unknown, method: string): string {
  const all = isArray(keys) ? Array.from(keys) : [keys];
  const areTexts = all.every((key) => typeof key === 'string');
  return (areTexts ? all.join(', ') : method).slice(0, MAX_LABEL_LENGTH);
}

function compile(key: unknown): (args: readonly unknown[]) => unknown {
  if (types.isAsyncFunction(key)) {
    throw new LockKeyError(
      'The key function is async, but the key must be known immediately. Compute it from the arguments alone, or await what it needs before you call LockService.withLock().',
    );
  }
  if (typeof key === 'function') {
    return (args) => (key as (...args: readonly unknown[]) => unknown)(...args);
  }
  if (typeof key !== 'string' || key === '') {
    throw new LockKeyError(
      `The key must be a string or a function, not ${describeKeyValue(key).kind}. Pass, for example, 'order:{0.id}'.`,
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
    `The key function returned ${kind}. It must return a non-empty string, and must not be async${remedy ?? ''}.`,
  );
}

/**
 * A placeholder such as `{0.user.id}`: the argument's index, and the path to the value inside it.
 */
interface Hole {
  readonly text: string;
  readonly index: number;
  readonly path: readonly string[];
  /** The first character of the text that follows, if another placeholder comes after it. */
  readonly end?: string;
}

/** Literal texts and placeholders, in order. */
export type KeyTemplate = readonly (string | Hole)[];

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;
const HOLE = /^\d+(\.[^.\s]+)*$/;

/**
 * A `:id` after a separator, as in `order::id` and in routes. A colon between two words is part of
 * the key, and so are the two of `Billing::Invoice`.
 */
const ROUTE_PARAMETER = /(?<=[:/]):([a-z_]\w*)/;

/** Properties that all objects share; they never distinguish two calls. */
const INHERITED: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Parses `'order:{0.id}'`. `{{` and `}}` stand for literal braces.
 *
 * @throws {LockKeyError} for a stray brace; for a placeholder that does not start with an
 * argument's index, that follows a `$`, or that names an inherited property; for two placeholders without a text
 * between them that marks the end of the first; and for a `:id` outside of a placeholder
 */
export function parseKeyTemplate(template: string): KeyTemplate {
  const parts = Array.from(template.matchAll(TOKEN), ({ 0: token, 1: hole, index }) => {
    if (hole !== undefined) {
      const part = parseHole(template, hole);
      if (template[index - 1] === '$') refuseDollar(template, token);
      return part;
    }
    if (token === '{' || token === '}') {
      throw new LockKeyError(
        `The key template '${template}' has a stray '${token}'. Write '${token}${token}' for a literal brace.`,
      );
    }
    return token === '{{' || token === '}}' ? token.slice(1) : token;
  });
  const last = parts.findLastIndex((part) => typeof part !== 'string');
  if (last < 0) refuseRouteParameter(template);
  return parts.map((part, index) => {
    if (typeof part === 'string' || index >= last) return part;
    return { ...part, end: endOf(template, part, parts[index + 1]) };
  });
}

/**
 * Fills in the placeholders from a call's arguments. Different values always yield different keys:
 * `%`, and the character that ends a placeholder before another one, are percent-encoded in the
 * values (decision 18).
 *
 * @throws {LockKeyError} when the value of a placeholder is not a non-empty string, a number, a bigint
 * or a boolean: two different calls must not meet at `order:undefined` or `order:[object Object]`
 */
export function renderKey(template: KeyTemplate, args: readonly unknown[]): string {
  return template
    .map((part) => (typeof part === 'string' ? part : enclose(part, fill(part, args))))
    .join('');
}

/** With such a key, all calls would get the same lock. */
function refuseRouteParameter(template: string): void {
  const [parameter] = ROUTE_PARAMETER.exec(template) ?? [];
  if (parameter === undefined) return;
  const filled = template.replace(ROUTE_PARAMETER, '{0.$1}');
  throw new LockKeyError(
    `The key template '${template}' contains '${parameter}', which is not a placeholder, so all calls would get the same lock. Write '${filled}' for a property of the first argument, or '{0}' for the argument itself. If it is meant literally, pass a function: () => '${template}'.`,
  );
}

/** As in a template literal, whose backticks have become quotes. */
function refuseDollar(template: string, token: string): never {
  throw new LockKeyError(
    `The key template '${template}' has a '$' before '${token}', which would be a part of the key. Leave it out; if it is meant literally, pass a function.`,
  );
}

function parseHole(template: string, hole: string): Hole {
  if (!HOLE.test(hole)) {
    throw new LockKeyError(
      `The key template '${template}' has the placeholder '{${hole}}'. A placeholder must be the index of an argument and an optional path inside it, as in '{0}' or '{0.id}'.`,
    );
  }
  const [index, ...path] = hole.split('.');
  const inherited = path.find((name) => INHERITED.includes(name));
  if (inherited !== undefined) {
    throw new LockKeyError(
      `The key template '${template}' has the placeholder '{${hole}}'. '${inherited}' is the same for all objects; use one of the argument's own properties.`,
    );
  }
  return { text: `{${hole}}`, index: Number(index), path };
}

/** The first character after a placeholder. It is never `%`, with which escapes begin. */
function endOf(template: string, { text }: Hole, next: string | Hole | undefined): string {
  const [end] = typeof next === 'string' ? next : [];
  if (end !== undefined && end !== '%') return end;
  throw new LockKeyError(
    `The key template '${template}' does not mark where '${text}' ends, so different values could give the same key. Put a text after it that does not begin with '%', as in '{0}:{1}'.`,
  );
}

function enclose({ end }: Hole, value: string): string {
  if (end === undefined) return value;
  // In one pass: `2` and `5` may end a placeholder, and also occur in the escape of `%`.
  const escape = (character: string): string =>
    character === '%' || character === end ? percentEncode(character) : character;
  return Array.from(value, escape).join('');
}

function fill({ text, index, path }: Hole, args: readonly unknown[]): string {
  let value = args[index];
  for (const name of path) {
    value = value === null || value === undefined ? value : (Object(value) as never)[name];
  }
  switch (typeof value) {
    case 'string':
      if (value !== '') return value;
      break;
    case 'number':
      if (!Number.isNaN(value)) return String(value);
      break;
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
  }
  const { kind, example } = describeKeyValue(value);
  const remedy = example && ` Use a key function, as in (${example.name}) => ${example.key}.`;
  throw new LockKeyError(
    `The value of '${text}' in the key is ${kind} in this call. It must be a non-empty string, a number, a bigint or a boolean.${remedy ?? ''}`,
  );
}
