import { types } from 'node:util';
import { isArray, isPathCharacter, join } from 'zk-client/recipes';
import { LockKeyError } from './lock-errors.js';

/** Longest encoded key in bytes. ZooKeeper has no limit of its own; every waiter's node repeats it. */
const MAX_ENCODED_BYTES = 512;

/** Keys that are written as they are; there are others. */
const PLAIN = /^\w[\w:@.,;=+~-]*$/;

/**
 * The directory of a key: one path segment under `root`. What ZooKeeper refuses in a path, `/` and
 * `%` are percent-encoded, so that different keys never share a directory.
 *
 * @throws {LockKeyError}
 */
export function directoryOf(root: string, key: string): string {
  if (typeof key !== 'string' || key === '') {
    const { kind, example } = describeKeyValue(key);
    const remedy = example
      ? `Make a text of it, as in ${example.key}`
      : 'Name what is being guarded';
    throw new LockKeyError(`A lock key must be a non-empty string; got ${kind}. ${remedy}.`);
  }
  if (key.length <= MAX_ENCODED_BYTES && PLAIN.test(key)) return join(root, key);
  // Before it is encoded: each character takes a byte at least.
  if (key.length > MAX_ENCODED_BYTES) throw tooLong(key);
  if (!isWellFormed(key)) {
    throw new LockKeyError(
      'A lock key must not contain half of a surrogate pair. Check its source.',
    );
  }
  const segment = encode(key);
  if (Buffer.byteLength(segment) > MAX_ENCODED_BYTES) throw tooLong(key);
  return join(root, segment);
}

function tooLong(key: string): LockKeyError {
  return new LockKeyError(
    `The lock key "${key.slice(0, 40)}…" is longer than ${MAX_ENCODED_BYTES} bytes when encoded. Use an id or a hash of it.`,
  );
}

/** No key ends in this: where a key has a `%`, two hexadecimal digits follow. */
const INTENT = '%upgradable';

/** Beside a key's directory: where those take turns who read it and may want to write. */
export function intentDirectoryOf(directory: string): string {
  return directory + INTENT;
}

/** As {@link INTENT}, no key's. */
const GUARDS = '%guards';

/** Under the root: the guards of the dialect `single-node`. */
export function guardPathOf(root: string, guid: string): string {
  return join(join(root, GUARDS), guid);
}

/** Whether a directory under the root with this name is a key's. */
export function isKeyDirectory(segment: string): boolean {
  return segment.length <= MAX_ENCODED_BYTES && !segment.endsWith(INTENT) && segment !== GUARDS;
}

/** Whether a directory under the root may have lock nodes in it; the names of others may be of any length. */
export function hasLockNodes(segment: string): boolean {
  return isKeyDirectory(segment) || isKeyDirectory(segment.slice(0, -INTENT.length));
}

/** Where a semaphore's contenders queue up, and where its leases lie, below the directory of its key. */
const SEMAPHORE_PARTS = { queue: 'locks', leases: 'leases' } as const;

export function semaphorePathsOf(directory: string): { queue: string; leases: string } {
  const { queue, leases } = SEMAPHORE_PARTS;
  return { queue: join(directory, queue), leases: join(directory, leases) };
}

/** Whether children of a key's directory have the names of a semaphore's. */
export function areSemaphoreParts(names: readonly string[]): boolean {
  const parts: readonly string[] = Object.values(SEMAPHORE_PARTS);
  return names.length > 0 && names.every((name) => parts.includes(name));
}

/** The key whose directory has this name under the root; the name itself where no key has it. */
export function keyOf(segment: string): string {
  try {
    const key = decodeURIComponent(segment);
    return encode(key) === segment ? key : segment;
  } catch {
    return segment;
  }
}

/** The key to which this directory belongs, also if it is that of its upgradable readers. */
export function keyOfDirectory(segment: string): string {
  return keyOf(segment.endsWith(INTENT) ? segment.slice(0, -INTENT.length) : segment);
}

function encode(key: string): string {
  if (key === '.' || key === '..') return key.replaceAll('.', '%2E');
  let segment = '';
  for (const character of key) {
    const plain = character !== '/' && character !== '%' && isPathCharacter(character);
    segment += plain ? character : percentEncode(character);
  }
  return segment;
}

/** Its bytes in UTF-8, as `%2F`. */
export function percentEncode(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** `${id}` outside of backticks, and the `{0}`, `{0.id}` of decorators. */
const HOLE = /\$\{[^}]*\}|\{\d+(?:\.[^{}.\s]+)*\}/;

/** Of a key that may be 512 bytes long. */
const LONGEST_SHOWN = 80;

/**
 * Refuses a key whose hole nothing has filled in: all calls would get one lock. A call with a
 * `pattern` has said what its keys are made of, so that its braces are meant.
 *
 * @throws {LockKeyError}
 */
export function refuseHoles({ key, pattern }: KeyRequest): void {
  if (pattern !== undefined || !key.includes('{')) return;
  const [hole] = HOLE.exec(key) ?? [];
  if (hole === undefined) return;
  const remedy = hole.startsWith('$')
    ? 'Write the key in backticks, so that JavaScript fills it in.'
    : 'Only decorators fill it in; build the key from its values, as `order:${id}` in backticks.';
  throw new LockKeyError(
    `The key '${key.slice(0, LONGEST_SHOWN)}' still has '${hole}', so that all calls would get the same lock. ${remedy} If these braces are meant, say so by the option \`pattern\`, as in { pattern: 'order:{id}' }.`,
  );
}

interface KeyRequest {
  readonly key: string;
  readonly pattern: string | undefined;
}

/** Something that was given as a key, or as a part of one, and is not a text. */
interface KeyValue {
  /** As the end of a sentence: `a Date`. Looks at it without running code of its own. */
  readonly kind: string;
  /** A key made of such a value, of which `name` is the name; where there is a usual one. */
  readonly example?: { readonly name: string; readonly key: string };
}

export function describeKeyValue(value: unknown): KeyValue {
  if (value === '') return { kind: 'an empty text' };
  if (value === null || value === undefined) return { kind: String(value) };
  if (Number.isNaN(value)) return { kind: 'NaN' };
  if (typeof value !== 'object') return { kind: `a ${typeof value}` };
  if (types.isPromise(value)) return { kind: 'a promise' };
  if (types.isDate(value)) return named('a Date', 'date', 'date.toISOString()');
  if (isArray(value)) return named('an array', 'ids', "ids.join(',')");
  return named('an object', 'order', 'order.id');
}

function named(kind: string, name: string, text: string): KeyValue {
  return { kind, example: { name, key: `\`order:\${${text}}\`` } };
}
