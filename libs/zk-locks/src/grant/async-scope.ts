import { AsyncLocalStorage } from 'node:async_hooks';
import { types } from 'node:util';
import type { Lock } from '../lock/lock.js';
import type { JoinedSection } from './grant.js';
import { checkOption } from '../options/table.js';
import { LockLostError, NoCurrentLockError } from '../lock/lock-errors.js';

interface Frame<T> {
  /** Undefined once the section is over. */
  held: T | undefined;
  outer: Frame<T> | undefined;
}

const NOTHING: readonly never[] = [];

/** What is held around an async context, innermost first. */
export class HeldFrames<T> {
  readonly #frames = new AsyncLocalStorage<Frame<T> | undefined>();

  /**
   * @param isOver whether something has been released for good; it is no longer found then
   * @param covers whether code inside of `held` no longer looks for an outer one
   */
  constructor(
    private readonly isOver: (held: T) => boolean,
    private readonly covers: (held: T, outer: T) => boolean = () => false,
  ) {}

  /** Runs `fn` inside new frames, the last one innermost. There may be thousands. */
  run<R>(held: readonly T[], fn: () => R): R {
    const isNeeded = (outer: T): boolean => !held.some((one) => this.covers(one, outer));
    const outer = onlyIf(isNeeded, this.#innermost());
    const frame = held.reduce<Frame<T> | undefined>((outer, held) => ({ held, outer }), outer);
    return this.#frames.run(frame, fn);
  }

  /** The innermost one that satisfies `isWanted`. */
  find(isWanted: (held: T) => boolean = () => true): T | undefined {
    for (let frame = this.#innermost(); frame; frame = frame.outer) {
      if (frame.held !== undefined && isWanted(frame.held)) return frame.held;
    }
    return undefined;
  }

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
   * Removes frames that are over from the way out. Otherwise, work that restarts itself forever
   * from inside its own section would retain every section it has ever been in: through the frames,
   * and on Node 20 also through what is held, because there a promise retains the async context it
   * was created in.
   */
  #innermost(): Frame<T> | undefined {
    const innermost = this.#present(this.#frames.getStore());
    for (let frame = innermost; frame; frame = frame.outer) {
      frame.outer = this.#present(frame.outer);
    }
    return innermost;
  }

  /** The first frame that is not over, starting with this one. */
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

/** The same frames if all are needed. Other contexts may still be in those that are not. */
function onlyIf<T>(
  isNeeded: (held: T) => boolean,
  innermost: Frame<T> | undefined,
): Frame<T> | undefined {
  if (!innermost) return undefined;
  const frames: Frame<T>[] = [];
  for (let frame: Frame<T> | undefined = innermost; frame; frame = frame.outer) frames.push(frame);
  const isNot = ({ held }: Frame<T>): boolean => held === undefined || !isNeeded(held);
  const last = frames.findLastIndex(isNot);
  if (last === -1) return innermost;
  const inside = frames.slice(0, last).filter((frame) => !isNot(frame));
  return inside.reduceRight((outer, { held }) => ({ held, outer }), frames[last]?.outer);
}

export interface LockScope extends JoinedSection {
  /** Distinguishes the locks of different managers. */
  readonly owner: object;
  readonly directory: string;
}

/**
 * Work may restart itself inside of sections whose lock is held on, such as that of a leader's term: each
 * section covers those before it.
 */
const frames = new HeldFrames<LockScope>(
  ({ lock }) => lock.grant.isReleased,
  ({ owner, directory }, outer) =>
    outer.lock.isReleased && outer.owner === owner && outer.directory === directory,
);

/** Runs `fn` with locks as the innermost ones of its async context, the last one innermost. */
export function runWithLocks<T>(scopes: readonly LockScope[], fn: () => T): T {
  return frames.run(scopes, fn);
}

/** Runs `fn` with some of the surrounding locks replaced by their views from `show`. */
export function runShowing<T>(locks: readonly Lock[], show: (shown: Lock) => Lock, fn: () => T): T {
  const wanted = new Set(locks);
  const innermostFirst = frames.all().filter(({ lock }) => wanted.delete(lock));
  const views = innermostFirst.map((scope) => ({ ...scope, shown: show(scope.shown) }));
  return frames.run(views.reverse(), fn);
}

/**
 * Returns the innermost lock held around the calling code, by `withLock()` or a `@Locked()` method,
 * of any connection.
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
 * @throws {NoCurrentLockError} outside of a section that holds a lock, and in work that continues
 * after it
 */
export function currentLock(): Lock {
  const scope = frames.find(({ lock }) => !lock.isReleased);
  if (!scope) throw new NoCurrentLockError();
  return scope.shown;
}

/**
 * The lock of `owner` on `directory` that this async context already holds, if any. If its innermost
 * section is over but the lock is held on, that is the lock of the section around it, which may tell
 * of more.
 */
export function enclosingLock(owner: object, directory: string): LockScope | undefined {
  const innermost = frames.find((scope) => scope.owner === owner && scope.directory === directory);
  if (!innermost?.lock.isReleased) return innermost;
  const { grant } = innermost.lock;
  return frames.find(({ lock }) => lock.grant === grant && !lock.isReleased) ?? innermost;
}

/** The locks of `owner` that this async context holds, innermost first. */
export function locksAround(owner: object): readonly LockScope[] {
  const all = frames.all();
  return all.length === 0 ? all : all.filter((scope) => scope.owner === owner);
}

/** The work that runs while something is held. */
export type Work<Held, T> = (held: Held) => T | PromiseLike<T>;

/** The arguments after the key. */
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

/** The part of a lock that guarded work needs. */
export interface Guard {
  readonly signal: AbortSignal;
  /**
   * Resolves when it is certain whether the lock is held: immediately, except after a jump of the
   * clock.
   */
  whenCertain(): Promise<void>;
  /** Throws if the lock was lost, but not if its own user has released it. */
  throwIfLost(): void;
  release(): Promise<void>;
}

/** @throws {ZkLockConfigError} */
export function checkFunction(fn: unknown): asserts fn is (...args: never[]) => unknown {
  checkOption('fn', fn);
}

/**
 * Runs `work` under a lock that is held, and releases the lock when the result of `work` has
 * settled.
 *
 * @throws whatever `work` throws
 * @throws {LockLostError} when the lock was lost before `work` had settled, even if it succeeded
 */
export async function runGuarded<T>(lock: Guard, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    const result = await work();
    await lock.whenCertain();
    lock.throwIfLost();
    return result;
  } catch (error) {
    // Work that stopped because its signal aborted has failed because of the loss.
    if (isAbortBy(lock.signal, error)) lock.throwIfLost();
    throw error;
  } finally {
    await lock.release();
  }
}

/**
 * Node's own functions reject with an AbortError whose cause is the signal's reason. If several
 * locks were lost together, the work may have used the signal of any of them.
 */
function isAbortBy(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted || !types.isNativeError(error)) return false;
  return error.cause === signal.reason || error.cause instanceof LockLostError;
}
