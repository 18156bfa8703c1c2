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
    { decorator = LOCKED, ...options }: ErrorOptions & { decorator?: Decorator } = {},
  ) {
    super(`${decorator.name} on ${method}: ${problem}`, options);
  }
}

/** One of our decorators. */
export interface Decorator {
  /** How messages call it. */
  readonly name: string;
  /** What to call where it cannot stand. */
  readonly instead: string;
  /** The metadata key on a method that it wraps. The value lists its definitions, innermost first. */
  readonly mark: symbol;
  /** Whether the method runs holding a lock. */
  readonly holdsLock: boolean;
}

export const LOCKED: Decorator = {
  name: '@Locked()',
  instead: 'LockService.withLock()',
  mark: Symbol('nestjs-zk-lock:locked'),
  holdsLock: true,
};

export const ONLY_LEADER: Decorator = {
  name: '@OnlyLeader()',
  instead: 'LockService.election()',
  mark: Symbol('nestjs-zk-lock:only-leader'),
  holdsLock: true,
};

export const WITH_PERMIT: Decorator = {
  name: '@WithPermit()',
  instead: 'LockService.semaphore()',
  mark: Symbol('nestjs-zk-lock:with-permit'),
  holdsLock: false,
};

export const DECORATORS: readonly Decorator[] = [LOCKED, ONLY_LEADER, WITH_PERMIT];
