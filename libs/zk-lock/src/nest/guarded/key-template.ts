import { LockKeyError } from '../../locks/lock-errors.js';

/** `{0.user.id}`: the argument's index, and the path to the value inside it. */
interface Hole {
  readonly text: string;
  readonly index: number;
  readonly path: readonly string[];
}

/** Literal texts and holes, in the order in which they stand. */
export type KeyTemplate = readonly (string | Hole)[];

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;
const HOLE = /^\d+(\.[^.\s]+)*$/;

/**
 * Parses `'order:{0.id}'`. `{{` and `}}` stand for the braces themselves.
 *
 * @throws {LockKeyError} on a stray brace and on a hole that does not begin with an argument's index
 */
export function parseKeyTemplate(template: string): KeyTemplate {
  return Array.from(template.matchAll(TOKEN), ([token, hole]) => {
    if (hole !== undefined) return parseHole(template, hole);
    if (token === '{' || token === '}') {
      throw new LockKeyError(
        `The key template '${template}' has a stray '${token}'. Write '${token}${token}' for the brace itself.`,
      );
    }
    return token === '{{' || token === '}}' ? token.slice(1) : token;
  });
}

/**
 * Fills the holes from a call's arguments.
 *
 * @throws {LockKeyError} when a hole finds anything but a number, a boolean or a text that is not
 * empty: two different calls must not meet at `order:undefined` or `order:[object Object]`
 */
export function renderKey(template: KeyTemplate, args: readonly unknown[]): string {
  return template.map((part) => (typeof part === 'string' ? part : fill(part, args))).join('');
}

function parseHole(template: string, hole: string): Hole {
  if (!HOLE.test(hole)) {
    throw new LockKeyError(
      `The key template '${template}' has the hole '{${hole}}'. A hole is the index of an argument and a path inside it, as in '{0}' or '{0.id}'.`,
    );
  }
  const [index, ...path] = hole.split('.');
  return { text: `{${hole}}`, index: Number(index), path };
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
  throw new LockKeyError(
    `The hole '${text}' of the key is ${describe(value)} in this call. Only numbers, booleans and texts that are not empty name a lock or a semaphore.`,
  );
}

function describe(value: unknown): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'number') return 'NaN';
  return value === null || value === undefined ? String(value) : `of type ${typeof value}`;
}
