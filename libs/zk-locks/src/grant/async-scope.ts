import { AsyncLocalStorage } from 'node:async_hooks';
import { types } from 'node:util';
import type { Lock } from '../lock/lock.js';
import type { HeldLock } from './grant.js';
import { checkOption } from '../options/table.js';
import { LockLostError, NoCurrentLockError } from '../lock/lock-errors.js';

interface Frame<T> {
  /** Undefined once that is over. */
  held: T | undefined;
  outer: Frame<T> | undefined;
}

const NOTHING: readonly never[] = [];

/** What is held around an async context, innermost first. */
export class HeldFrames<T> {
  readonly #frames = new AsyncLocalStorage<Frame<T>>();

  /** @param isOver whether it is released for good: from then on, it is not found */
  constructor(private readonly isOver: (held: T) => boolean) {}

  /** Runs `fn` with one more that is held around it. */
  run<R>(held: T, fn: () => R): R {
    return this.#frames.run({ held, outer: this.#innermost() }, fn);
  }

  /** The innermost one that is wanted. */
  find(isWanted: (held: T) => boolean = () => true): T | undefined {
    for (let frame = this.#innermost(); frame; frame = frame.outer) {
      if (frame.held !== undefined && isWanted(frame.held)) return frame.held;
    }
    return undefined;
  }

  /** Innermost first. */
  all(): readonly T[] {
    const innermost = this.#innermost();
    if (!innermost) return NOTHING;
    const found: T[] = [];
    for (let frame: Frame<T> | undefined = innermost; frame; frame = frame.outer) {
      if (frame.held !== undefined) found.push(frame.held);
    }
    return found;
  }

  /**
   * Forgets what is over on the way out. Work that sets itself going again from inside of its own
   * section, for ever, would else keep every section that it ever was in: by the frames, and on Node
   * 20 also by what is held, for there a promise keeps the async context that it was made in.
   */
  #innermost(): Frame<T> | undefined {
    const innermost = this.#present(this.#frames.getStore());
    for (let frame = innermost; frame; frame = frame.outer) {
      frame.outer = this.#present(frame.outer);
    }
    return innermost;
  }

  /** The first that is not over, from this one on. */
  #present(frame: Frame<T> | undefined): Frame<T> | undefined {
    let present = frame;
    while (present && this.#isOver(present)) present = present.outer;
    while (frame && frame !== present) {
      const { outer } = frame;
      frame.held = undefined;
      frame.outer = present;
      frame = outer;
    }
    return present;
  }

  #isOver({ held }: Frame<T>): boolean {
    return held === undefined || this.isOver(held);
  }
}

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

const frames = new HeldFrames<LockScope>(({ lock }) => lock.grant.isReleased);

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
 * The innermost lock held around the calling code, by `withLock()` or a `@Locked()` method, of any
 * connection.
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
 * @throws {NoCurrentLockError} outside of a section that holds a lock, and in work that it has left behind
 */
export function currentLock(): Lock {
  const scope = frames.find(({ lock }) => !lock.isReleased);
  if (!scope) throw new NoCurrentLockError();
  return scope.shown;
}

/** The lock of `owner` on `directory` that this async context already holds, if any. */
export function enclosingLock(owner: object, directory: string): LockScope | undefined {
  return frames.find((scope) => scope.owner === owner && scope.directory === directory);
}

/** The locks of `owner` that this async context holds, innermost first. */
export function locksAround(owner: object): readonly LockScope[] {
  const all = frames.all();
  return all.length === 0 ? all : all.filter((scope) => scope.owner === owner);
}

/** What is run while something is held. */
export type Work<Held, T> = (held: Held) => T | PromiseLike<T>;

/** The arguments behind the key. */
export type OptionsAndWork<Options, Held, T> =
  [work: Work<Held, T>] | [options: Options, work: Work<Held, T>];

/** @throws {ZkLockConfigError} when there is nothing to run */
export function optionsAndWork<Options extends object, Held, T>(
  given: OptionsAndWork<Options, Held, T>,
): [options: Options, work: Work<Held, T>] {
  const [options, work] = given.length === 1 ? [undefined, given[0]] : given;
  checkFunction(work);
  return [options ?? ({} as Options), work];
}

/** As much of a lock as guarded work needs. */
export interface Guard {
  readonly signal: AbortSignal;
  /** Resolves once it is certain whether it is held: at once, except after a jump of the clock. */
  whenCertain(): Promise<void>;
  /** Throws where it was lost; content with a lock that its own user has released. */
  throwIfLost(): void;
  release(): Promise<void>;
}

/** @throws {ZkLockConfigError} */
export function checkFunction(fn: unknown): asserts fn is (...args: never[]) => unknown {
  checkOption('fn', fn);
}

/**
 * Runs `work` under a lock that is held, and releases it when what `work` returns has settled.
 *
 * @throws what `work` throws
 * @throws {LockLostError} when the lock was lost before `work` had settled, even if it succeeded
 */
export async function runGuarded<T>(lock: Guard, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    const result = await work();
    await lock.whenCertain();
    lock.throwIfLost();
    return result;
  } catch (error) {
    // Work that stopped because its signal aborted has failed for the loss, not for itself.
    if (isAbortBy(lock.signal, error)) lock.throwIfLost();
    throw error;
  } finally {
    await lock.release();
  }
}

/**
 * Node's own functions reject with an AbortError whose cause is the signal's reason; of several locks
 * that were lost together, any may be that of the signal that the work had looked at.
 */
function isAbortBy(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted || !types.isNativeError(error)) return false;
  return error.cause === signal.reason || error.cause instanceof LockLostError;
}
