import type { LockMode } from './lock.js';

/** The kind of what an error is about: a lock in one of its modes, or permits. */
export type LockKind = LockMode | 'permit';

const NAMES: Record<LockKind, string> = {
  read: 'read lock',
  write: 'write lock',
  permit: 'semaphore',
};

/** The lock's name in messages: `write lock "order:42"`. */
export function nameLock(kind: LockKind, key: string): string {
  return `${NAMES[kind]} "${key}"`;
}
