import { ZkLockError } from 'zk-locks';
import { printBriefly } from 'zk-locks/framework';

/**
 * A decorated method cannot get its lock, because something is missing from the application's
 * setup. Thrown when the application starts. If that was not possible, or a call comes earlier, the
 * call rejects with it and the method does not run.
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

printBriefly(LockedSetupError);

/**
 * `@Locked()`, `@WithPermit()` or `@OnlyLeader()` is in a place where it cannot work, or has an
 * argument that it cannot use. Thrown while the class is defined. A method rejects with it
 * if it returns a generator or an async iterator; an Observable with `@OnlyLeader()`; or, where it is
 * not a handler, an Observable without declaring it.
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

/** One of this library's decorators. */
export interface Decorator {
  /** The decorator's name in messages. */
  readonly name: string;
  /** The function to call in places where the decorator cannot be used. */
  readonly instead: string;
  /**
   * The metadata key on a method that it wraps. The value lists its definitions, innermost first.
   */
  readonly mark: symbol;
  /** Whether the method runs while holding a lock. */
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
