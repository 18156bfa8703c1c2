import type { Lock } from 'zk-locks';

/**
 * Stands for the lock among a handler's arguments: Nest collects these before the lock is taken.
 */
export const LOCK_PLACEHOLDER: object = Object.freeze({ [Symbol.toStringTag]: 'LockPlaceholder' });

export function replacePlaceholder(args: readonly unknown[], lock: Lock): readonly unknown[] {
  return args.map((argument) => (argument === LOCK_PLACEHOLDER ? lock : argument));
}
