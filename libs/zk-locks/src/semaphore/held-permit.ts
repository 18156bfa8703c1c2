import { HeldFrames } from '../grant/async-scope.js';
import { Handle } from '../grant/grant.js';
import type { NodeGrant } from '../grant/node-grant.js';
import { NoCurrentPermitError } from '../lock/lock-errors.js';
import type { ReleaseMode } from '../lock/lock.js';
import type { Permit } from './semaphore.js';

export class HeldPermit extends Handle<'permit'> implements Permit {
  constructor(
    readonly permits: number,
    /** Its nodes are the znodes of the permits. */
    grant: NodeGrant,
    releaseMode: ReleaseMode,
  ) {
    super(grant.key, 'permit', grant, releaseMode);
  }
}

const frames = new HeldFrames<HeldPermit>((permit) => permit.isReleased);

/** Runs `fn` with a permit as the innermost one of its async context. */
export function runWithPermit<T>(permit: HeldPermit, fn: () => T): T {
  return frames.run([permit], fn);
}

/**
 * Returns the innermost permit held around the calling code, by `withPermit()` or a `@WithPermit()`
 * method, of any connection. A lock in between does not hide it, and permits do not hide a lock
 * from `currentLock()`.
 *
 * @example
 * ```ts
 * @WithPermit('gpu', { permits: 4 })
 * async render(job: Job) {
 *   await this.farm.render(job, { signal: currentPermit().signal });
 * }
 * ```
 *
 * @throws {NoCurrentPermitError} outside of a section that holds permits, and in work that
 * continues after it
 */
export function currentPermit(): Permit {
  const permit = frames.find();
  if (!permit) throw new NoCurrentPermitError();
  return permit;
}
