import type { Permit } from 'zk-locks';
import { currentPermit as innermostPermit } from 'zk-locks/internal';
import { NoCurrentPermitError } from '../guarded/guarded-errors.js';

/**
 * The innermost permit held around the calling code, by a `@WithPermit()` method or by a semaphore's
 * `withPermit()`, of any connection. A lock in between does not hide it, nor does it hide a lock from
 * `currentLock()`.
 *
 * @example
 * ```ts
 * @WithPermit('gpu', { permits: 4 })
 * async render(job: Job) {
 *   await this.farm.render(job, { signal: currentPermit().signal });
 * }
 * ```
 *
 * @throws {NoCurrentPermitError} when there is none
 * @publicApi
 */
export function currentPermit(): Permit {
  const permit = innermostPermit();
  if (!permit) throw new NoCurrentPermitError();
  return permit;
}
