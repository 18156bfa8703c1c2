import type { Lock } from 'zk-locks';
import { currentLock as innermostLock } from 'zk-locks/internal';
import { NoCurrentLockError } from '../guarded/guarded-errors.js';

/**
 * The innermost lock held around the calling code, by a `@Locked()` method or by `withLock()`, of
 * any connection.
 *
 * @example
 * ```ts
 * @Locked('order:{0}')
 * async ship(id: string) {
 *   const { signal, fencingToken } = currentLock();
 *   await this.carrier.book(id, { signal, fencingToken });
 * }
 * ```
 *
 * @throws {NoCurrentLockError} when there is none
 * @publicApi
 */
export function currentLock(): Lock {
  const lock = innermostLock();
  if (!lock) throw new NoCurrentLockError();
  return lock;
}
