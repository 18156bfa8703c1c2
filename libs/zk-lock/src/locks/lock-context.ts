import { AsyncLocalStorage } from 'node:async_hooks';
import type { HeldLock } from './held-lock.js';
import type { Lock } from './lock.js';

/** The locks held around an async context, innermost first. */
interface Frame {
  /** Tells the locks of different managers apart. */
  readonly owner: object;
  readonly directory: string;
  readonly lock: HeldLock;
  readonly outer: Frame | undefined;
}

const frames = new AsyncLocalStorage<Frame>();

/** Runs `fn` with `lock` as the innermost one of its async context. */
export function runWithLock<T>(owner: object, directory: string, lock: HeldLock, fn: () => T): T {
  return frames.run({ owner, directory, lock, outer: frames.getStore() }, fn);
}

/**
 * The innermost lock that `withLock` or `@Locked` holds around the calling code; undefined outside.
 * Work that goes on after its lock was released sees no lock.
 */
export function currentLock(): Lock | undefined {
  for (let frame = frames.getStore(); frame; frame = frame.outer) {
    if (!frame.lock.holding.isReleased) return frame.lock;
  }
  return undefined;
}

/** The lock of `owner` on `directory` that this async context already holds, if any. */
export function enclosingLock(owner: object, directory: string): HeldLock | undefined {
  for (let frame = frames.getStore(); frame; frame = frame.outer) {
    const isSame = frame.owner === owner && frame.directory === directory;
    if (isSame && !frame.lock.holding.isReleased) return frame.lock;
  }
  return undefined;
}
