import { AsyncLocalStorage } from 'node:async_hooks';
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

/** The locks held around an async context, innermost first. */
interface Frame {
  readonly scope: LockScope;
  readonly outer: Frame | undefined;
}

const frames = new AsyncLocalStorage<Frame>();

/** Runs `fn` with a lock as the innermost one of its async context. */
export function runWithLock<T>(scope: LockScope, fn: () => T): T {
  return frames.run({ scope, outer: frames.getStore() }, fn);
}

/**
 * The innermost lock that `withLock` or `@Locked` holds around the calling code; undefined outside.
 * Work that goes on after its lock was released sees no lock.
 */
export function currentLock(): Lock | undefined {
  return findScope(({ lock }) => !lock.isReleased)?.shown;
}

/** The lock of `owner` on `directory` that this async context already holds, if any. */
export function enclosingLock(owner: object, directory: string): LockScope | undefined {
  return findScope((scope) => scope.owner === owner && scope.directory === directory);
}

function findScope(isWanted: (scope: LockScope) => boolean): LockScope | undefined {
  for (let frame = frames.getStore(); frame; frame = frame.outer) {
    const { scope } = frame;
    if (isWanted(scope) && !scope.lock.holding.isReleased) return scope;
  }
  return undefined;
}
