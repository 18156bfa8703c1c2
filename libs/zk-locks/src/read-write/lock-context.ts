import { HeldFrames } from '../holding/held-frames.js';
import type { HeldLock } from './held-lock.js';
import type { Lock } from '../lock.js';

/** A lock that is held around an async context. */
export interface LockScope {
  /** Tells the locks of different managers apart. */
  readonly owner: object;
  readonly directory: string;
  /** What nested calls join. */
  readonly lock: HeldLock;
  /** What the code inside sees: of several locks that are held together, also the loss of the others. */
  readonly shown: Lock;
}

const frames = new HeldFrames<LockScope>(({ lock }) => lock.holding.isReleased);

/** Runs `fn` with a lock as the innermost one of its async context. */
export function runWithLock<T>(scope: LockScope, fn: () => T): T {
  return frames.run(scope, fn);
}

/** Runs `fn` where some of the locks that are held around it are seen as `show` says. */
export function runShowing<T>(locks: readonly Lock[], show: (shown: Lock) => Lock, fn: () => T): T {
  const run = locks.reduceRight<() => T>((inner, lock) => {
    const scope = frames.find((each) => each.lock === lock);
    return scope ? () => frames.run({ ...scope, shown: show(scope.shown) }, inner) : inner;
  }, fn);
  return run();
}

/**
 * The innermost lock that `withLock` or `@Locked` holds around the calling code; undefined outside.
 * Work that goes on after its lock was released sees no lock.
 */
export function currentLock(): Lock | undefined {
  return frames.find(({ lock }) => !lock.isReleased)?.shown;
}

/** The lock of `owner` on `directory` that this async context already holds, if any. */
export function enclosingLock(owner: object, directory: string): LockScope | undefined {
  return frames.find((scope) => scope.owner === owner && scope.directory === directory);
}
