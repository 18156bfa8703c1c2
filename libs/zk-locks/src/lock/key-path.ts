import { types } from 'node:util';
import { isArray, isPathCharacter, join } from 'zk-client/recipes';
import { LockKeyError } from './lock-errors.js';

/**
 * The longest encoded key, in bytes. ZooKeeper itself has no limit, but every waiter's node repeats
 * the key.
 */
const MAX_ENCODED_BYTES = 512;

/** Keys that need no encoding. Some other keys need none either. */
const PLAIN = /^\w[\w:@.,;=+~-]*$/;

/**
 * Returns the directory of a key: one path segment under `root`. Characters that ZooKeeper refuses
 * in a path, `/` and `%` are percent-encoded, so different keys never share a directory.
 *
 * @throws {LockKeyError}
 */
export function directoryOf(root: string, key: string): string {
  if (typeof key !== 'string' || key === '') {
    const { kind, example } = describeKeyValue(key);
    const remedy = example
      ? `Convert it to a string, as in ${example.key}`
      : 'Name what the lock guards';
    throw new LockKeyError(`A lock key must be a non-empty string; got ${kind}. ${remedy}.`);
  }
  if (key.length <= MAX_ENCODED_BYTES && PLAIN.test(key)) return join(root, key);
  // Checked before encoding: each character takes at least one byte.
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

/** No key ends in this: in an encoded key, two hexadecimal digits follow each `%`. */
const INTENT = '%upgradable';

/** The directory beside a key's own, in which upgradable readers take turns. */
export function intentDirectoryOf(directory: string): string {
  return directory + INTENT;
}

/** The directory for guards; like {@link INTENT}, it cannot collide with a key. */
const GUARDS = '%guards';

/** The path of a guard of the dialect `single-node`, under the root. */
export function guardPathOf(root: string, guid: string): string {
  return join(join(root, GUARDS), guid);
}

/** Whether a directory of this name under the root belongs to a key. */
export function isKeyDirectory(segment: string): boolean {
  return segment.length <= MAX_ENCODED_BYTES && !segment.endsWith(INTENT) && segment !== GUARDS;
}

/**
 * Whether a directory under the root may contain lock nodes. Names of other directories may have
 * any length.
 */
export function hasLockNodes(segment: string): boolean {
  const isOfUpgradable =
    segment.endsWith(INTENT) && isKeyDirectory(segment.slice(0, -INTENT.length));
  return isOfUpgradable || isKeyDirectory(segment);
}

/** Where a semaphore's contenders queue, and where its leases are, below its key's directory. */
const SEMAPHORE_PARTS = { queue: 'locks', leases: 'leases' } as const;

export function semaphorePathsOf(directory: string): { queue: string; leases: string } {
  const { queue, leases } = SEMAPHORE_PARTS;
  return { queue: join(directory, queue), leases: join(directory, leases) };
}

/** Whether the children of a key's directory have the names of a semaphore's. */
export function areSemaphoreParts(names: readonly string[]): boolean {
  const parts: readonly string[] = Object.values(SEMAPHORE_PARTS);
  return names.length > 0 && names.every((name) => parts.includes(name));
}

/** Whether a part of a semaphore is among the children of a key's directory. */
export function hasSemaphorePart(names: readonly string[]): boolean {
  return Object.values(SEMAPHORE_PARTS).some((part) => names.includes(part));
}

/**
 * The key whose directory has this name under the root, or the name itself if there is no such key.
 */
export function keyOf(segment: string): string {
  try {
    const key = decodeURIComponent(segment);
    return encode(key) === segment ? key : segment;
  } catch {
    return segment;
  }
}

/** The key that a directory belongs to, even if it is the directory of its upgradable readers. */
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

/** The character's UTF-8 bytes, as in `%2F`. */
export function percentEncode(character: string): string {
  return Array.from(
    Buffer.from(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** `${id}` outside of backticks, and placeholders of decorators such as `{0}` and `{0.id}`. */
const HOLE = /\$\{[^}]*\}|\{\d+(?:\.[^{}.\s]+)*\}/;

/** A key may be 512 bytes long; messages show less. */
const LONGEST_SHOWN = 80;

/**
 * Refuses a key that still contains a placeholder: all calls would get one lock. A call with a
 * `pattern` has declared what its keys look like, so its braces are intended.
 *
 * @throws {LockKeyError}
 */
export function refuseHoles({ key, pattern }: KeyRequest): void {
  if (pattern !== undefined || !key.includes('{')) return;
  const [hole] = HOLE.exec(key) ?? [];
  if (hole === undefined) return;
  const remedy = hole.startsWith('$')
    ? 'Write the key in backticks so that JavaScript fills it in.'
    : 'Only decorators fill it in. Build the key from its values instead, as in `order:${id}` in backticks.';
  throw new LockKeyError(
    `The key '${key.slice(0, LONGEST_SHOWN)}' still contains '${hole}', so all calls would get the same lock. ${remedy} If the braces are part of the key, pass the option \`pattern\`, as in { pattern: 'order:{id}' }.`,
  );
}

interface KeyRequest {
  readonly key: string;
  readonly pattern: string | undefined;
}

/** A value that was passed as a key, or as a part of one, and is not a string. */
interface KeyValue {
  /**
   * The kind of value, as the end of a sentence: `a Date`. Found without running code of the value.
   */
  readonly kind: string;
  /** A key built from such a value, if there is a usual way; `name` is the value's name in it. */
  readonly example?: { readonly name: string; readonly key: string };
}

export function describeKeyValue(value: unknown): KeyValue {
  if (value === '') return { kind: 'an empty string' };
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
