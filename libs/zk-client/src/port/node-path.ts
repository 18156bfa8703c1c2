import type { CreateMode } from './zookeeper-client.js';

/**
 * Characters ZooKeeper refuses in a path (`PathUtils.validatePath`): controls, and everything from
 * the surrogates through the private use area, which covers all characters beyond the BMP.
 */

const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** ZooKeeper limits only whole requests, and answers longer ones by closing the connection. */
export const MAX_PATH_BYTES = 4_096;

/**
 * In characters. A character takes at most three bytes; those that take four are two characters.
 */
const SURELY_SHORT = MAX_PATH_BYTES / 3;

/**
 * Recognizes most valid paths quickly: segments of plain characters that begin with a letter, digit
 * or `_`.
 */
const SOUND = /^(?:\/\w[\w:@%.,;=+~-]*)+$/;

/** What is wrong with an absolute path, as a clause, or undefined. */
export function checkPath(path: string): string | undefined {
  if (path.length <= SURELY_SHORT && SOUND.test(path)) return undefined;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    return `"${path.slice(0, 40)}…" is longer than ${MAX_PATH_BYTES} bytes`;
  }
  if (!path.startsWith('/')) return `"${path}" does not start with "/"`;
  if (path === '/') return undefined;
  for (const segment of path.slice(1).split('/')) {
    if (segment === '') return `"${path}" has an empty segment`;
    if (segment === '.' || segment === '..') return `"${path}" has a "${segment}" segment`;
    if (REFUSED.test(segment)) return `"${path}" has a character that ZooKeeper refuses`;
  }
  return undefined;
}

/** Whether ZooKeeper accepts this character in a path. */
export function isPathCharacter(character: string): boolean {
  return !REFUSED.test(character);
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether it is the node at `directory`, or is below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

export function join(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** What the server appends to the path of a sequential node. */
const SEQUENCE = /^(\d{10}|-\d{9,10})$/;

/** Whether `created` can be the path of a node whose creation at `path` was requested. */
export function isCreatedPath(path: string, mode: CreateMode, created: unknown): boolean {
  if (typeof created !== 'string' || !created.startsWith(path)) return false;
  const appended = created.slice(path.length);
  return mode.endsWith('-sequential') ? SEQUENCE.test(appended) : appended === '';
}

/** Whether a node can have this name. */
export function isName(name: unknown): boolean {
  if (typeof name !== 'string' || name === '' || name.includes('/')) return false;
  return name !== '.' && name !== '..';
}
