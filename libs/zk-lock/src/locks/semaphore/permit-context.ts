import { AsyncLocalStorage } from 'node:async_hooks';
import type { HeldPermit } from './held-permit.js';
import type { Permit } from './semaphore.js';

/** The permits held around an async context, innermost first. */
interface Frame {
  readonly permit: HeldPermit;
  readonly outer: Frame | undefined;
}

const frames = new AsyncLocalStorage<Frame>();

/** Runs `fn` with a permit as the innermost one of its async context. */
export function runWithPermit<T>(permit: HeldPermit, fn: () => T): T {
  return frames.run({ permit, outer: frames.getStore() }, fn);
}

/**
 * The innermost permit that `withPermit` holds around the calling code; undefined outside. Work that
 * goes on after its permit was released sees no permit.
 */
export function currentPermit(): Permit | undefined {
  let frame = frames.getStore();
  while (frame?.permit.isReleased) frame = frame.outer;
  return frame?.permit;
}
