import { HeldFrames } from '../holding/held-frames.js';
import type { HeldPermit } from './held-permit.js';
import type { Permit } from './semaphore.js';

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
