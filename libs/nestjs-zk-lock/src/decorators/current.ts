import { AsyncLocalStorage } from 'node:async_hooks';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Lock } from 'zk-locks';
import { hasLock } from './decorated-method.js';
import { LockedSetupError } from './decorator-errors.js';

/**
 * Passes the lock of a `@Locked()` or `@OnlyLeader()` handler to it as an argument. In other
 * methods, call `currentLock()`. Functions in the options of the decorators get `undefined` in its place,
 * because they are called before the lock is taken.
 *
 * @example
 * ```ts
 * @Post(':show/audit')
 * @Locked('audit:{0}')
 * async audit(@Param('show') show: string, @CurrentLock() lock: Lock) {}
 * ```
 *
 * @throws {LockedSetupError} when the handler has neither decorator; it does not run then
 * @publicApi
 */
export const CurrentLock: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => {
    const handler = context.getHandler();
    if (!hasLock(handler)) {
      throw new LockedSetupError(
        `${context.getClass().name}.${handler.name}`,
        'it has a @CurrentLock() argument but is not @Locked()',
        'Decorate the handler, or take the lock in the method that needs it and call currentLock() there.',
      );
    }
    return LOCK_PLACEHOLDER;
  },
);

/**
 * Stands for the lock among a handler's arguments, which Nest collects before the lock is taken. A
 * symbol, because pipes copy objects.
 */
export const LOCK_PLACEHOLDER = Symbol('nestjs-zk-lock:lock');

/** @param lock undefined for functions that are called before the lock is held */
export function replacePlaceholder(
  args: readonly unknown[],
  lock: Lock | undefined,
): readonly unknown[] {
  return args.map((argument) => (argument === LOCK_PLACEHOLDER ? lock : argument));
}

/**
 * One run of a decorated handler, from the interceptor to the method: it carries what the wrapped
 * method cannot find out by itself.
 */
export interface HandlerScope {
  /** The definitions of the handler. Other methods that it calls are not affected. */
  readonly definitions: readonly object[];
  /** Aborts when the handler's caller has left. */
  readonly signal: AbortSignal;
  /** Whether Nest fails, or never answers, if a stream ends without any value. */
  readonly needsValue: boolean;
  /**
   * Called when all of the handler's locks and permits are held, and its own method runs; or when the
   * Observable that `onBusy` or `onFollower` provides is about to run.
   */
  readonly onRun: () => void;
  /** Called when the method does not run: `onBusy` or `onFollower` provides the result. */
  readonly onSkipped: () => void;
}

const scopes = new AsyncLocalStorage<HandlerScope>();

export function runInHandlerScope<T>(scope: HandlerScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

/** The scope of the running handler, if `definition` belongs to it. */
export function handlerScopeOf(definition: object): HandlerScope | undefined {
  const scope = scopes.getStore();
  return scope?.definitions.includes(definition) ? scope : undefined;
}

/**
 * Runs a handler's own method and subscribes to its Observable: calls of the same method from inside
 * are not made by its caller.
 */
export function runOutsideHandlerScope<T>(definition: object, fn: () => T): T {
  const scope = handlerScopeOf(definition);
  if (!scope) return fn();
  const definitions = scope.definitions.filter((other) => other !== definition);
  if (definitions.length === 0) scope.onRun();
  return scopes.run({ ...scope, definitions }, fn);
}
