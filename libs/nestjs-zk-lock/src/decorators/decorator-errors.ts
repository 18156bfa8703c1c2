import { ZkLockError } from 'zk-locks';

/**
 * A decorated method cannot have its lock, because something is missing in how the application is put
 * together. Thrown when the application starts; a call of the method that is earlier, or that nothing
 * could be told of at the start, rejects with it, and the method does not run.
 *
 * @publicApi
 */
export class LockedSetupError extends ZkLockError {
  static readonly code = 'LOCKED_NOT_SET_UP';
  readonly code = LockedSetupError.code;

  /**
   * @param method `Class.method`
   * @param problem what is missing, as a clause
   * @param remedy what to do about it
   */
  constructor(
    readonly method: string,
    problem: string,
    remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${method} cannot run: ${problem}. ${remedy}`, options);
  }
}

/**
 * `@Locked()`, `@WithPermit()` or `@OnlyLeader()` stands where it cannot work, or was given something
 * it cannot use. Thrown while the class is defined; a method that returns an Observable without
 * declaring it so, a generator or an async iterator rejects with it.
 *
 * @publicApi
 */
export class LockedDecoratorError extends ZkLockError {
  static readonly code = 'LOCKED_DECORATOR_INVALID';
  readonly code = LockedDecoratorError.code;

  constructor(
    readonly method: string,
    problem: string,
    { decorator = LOCKED, ...options }: ErrorOptions & { decorator?: DecoratorWords } = {},
  ) {
    super(`${decorator.name} on ${method}: ${problem}`, options);
  }
}

/**
 * The current lock was asked for where none is held.
 *
 * @publicApi
 */
export class NoCurrentLockError extends ZkLockError {
  static readonly code = 'LOCK_NOT_CURRENT';
  readonly code = NoCurrentLockError.code;

  constructor(key?: string) {
    super(
      `No lock ${key === undefined ? '' : `"${key}" `}is held by the calling code. Call it inside a @Locked() method or a withLock() callback, and not in work they leave behind.`,
    );
  }
}

/**
 * The current permit was asked for where none is held.
 *
 * @publicApi
 */
export class NoCurrentPermitError extends ZkLockError {
  static readonly code = 'PERMIT_NOT_CURRENT';
  readonly code = NoCurrentPermitError.code;

  constructor() {
    super(
      'No permit is held by the calling code. Call it inside a @WithPermit() method or a withPermit() callback, and not in work they leave behind.',
    );
  }
}

/** How messages speak of a decorator. */
export interface DecoratorWords {
  readonly name: string;
  /** What to call where it cannot stand. */
  readonly instead: string;
}

export const LOCKED: DecoratorWords = { name: '@Locked()', instead: 'LockService.withLock()' };

export const ONLY_LEADER: DecoratorWords = {
  name: '@OnlyLeader()',
  instead: 'LockService.election()',
};

export const WITH_PERMIT: DecoratorWords = {
  name: '@WithPermit()',
  instead: 'LockService.semaphore()',
};
