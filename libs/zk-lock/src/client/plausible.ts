import type { CreateMode } from './zookeeper-client.js';

/** What the server appends to the path of a sequential node. */
const SEQUENCE = /^(\d{10}|-\d{9,10})$/;

/** Whether a node that was to be created at `path` can have been created there. */
export function isCreatedPath(path: string, mode: CreateMode, created: unknown): boolean {
  if (typeof created !== 'string' || !created.startsWith(path)) return false;
  const appended = created.slice(path.length);
  return mode === 'ephemeral-sequential' ? SEQUENCE.test(appended) : appended === '';
}

/** Whether a node can have this name. */
export function isName(name: unknown): boolean {
  if (typeof name !== 'string' || name === '' || name.includes('/')) return false;
  return name !== '.' && name !== '..';
}
