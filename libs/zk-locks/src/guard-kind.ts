import type { LockMode } from './lock.js';

/** What an error is about: a lock in one of its modes, or permits. */
export type GuardKind = LockMode | 'permit';

const NAMES: Record<GuardKind, string> = {
  read: 'read lock',
  write: 'write lock',
  permit: 'semaphore',
};

/** As it stands in messages: `write lock "order:42"`. */
export function nameGuard(kind: GuardKind, key: string): string {
  return `${NAMES[kind]} "${key}"`;
}
