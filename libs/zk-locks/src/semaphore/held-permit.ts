import { HeldFrames } from '../grant/async-scope.js';
import { Handle } from '../grant/grant.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { ReleaseMode } from '../lock.js';
import type { Permit } from './semaphore.js';

export class HeldPermit extends Handle<'permit'> implements Permit {
  constructor(
    readonly permits: number,
    /** Each of them is a znode. */
    grant: NodeGrant,
    releaseMode: ReleaseMode,
  ) {
    super(grant.key, 'permit', grant, releaseMode);
  }
}

const frames = new HeldFrames<HeldPermit>((permit) => permit.isReleased);

/** Runs `fn` with a permit as the innermost one of its async context. */
export function runWithPermit<T>(permit: HeldPermit, fn: () => T): T {
  return frames.run(permit, fn);
}

/**
 * The innermost permit that `withPermit` holds around the calling code; undefined outside. Work that
 * goes on after its permit was released sees no permit.
 */
export function currentPermit(): Permit | undefined {
  return frames.find();
}
