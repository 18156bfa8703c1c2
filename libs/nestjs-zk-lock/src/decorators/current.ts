import { AsyncLocalStorage } from 'node:async_hooks';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Lock } from 'zk-locks';
import { hasLock } from './decorated-method.js';
import { LockedSetupError } from './decorator-errors.js';

/**
 * Gives a `@Locked()` or `@OnlyLeader()` handler its lock as an argument. For other methods there is `currentLock()`.
 *
 * @example
 * ```ts
 * @Post(':show/audit')
 * @Locked('audit:{0}')
 * async audit(@Param('show') show: string, @CurrentLock() lock: Lock) {}
 * ```
 *
 * @throws {LockedSetupError} when the handler is neither; it does not run then
 * @publicApi
 */
export const CurrentLock: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => {
    const handler = context.getHandler();
    if (!hasLock(handler)) {
      throw new LockedSetupError(
        `${context.getClass().name}.${handler.name}`,
        'it has a @CurrentLock() argument without being @Locked()',
        'Decorate the handler, or take the lock in the method that needs it and call currentLock() there.',
      );
    }
    return LOCK_PLACEHOLDER;
  },
);

/**
 * Stands for the lock among a handler's arguments: Nest collects these before the lock is taken.
 */
export const LOCK_PLACEHOLDER: object = Object.freeze({ [Symbol.toStringTag]: 'LockPlaceholder' });

export function replacePlaceholder(args: readonly unknown[], lock: Lock): readonly unknown[] {
  return args.map((argument) => (argument === LOCK_PLACEHOLDER ? lock : argument));
}

/**
 * One run of a decorated handler, from the interceptor down to the method: what the wrapped method
 * cannot know by itself.
 */
export interface HandlerScope {
  /** Those of the handler. Methods it calls are other methods: nothing here concerns them. */
  readonly definitions: readonly object[];
  /** Aborts when the handler's caller has gone. */
  readonly signal: AbortSignal;
}

const scopes = new AsyncLocalStorage<HandlerScope>();

export function runInHandlerScope<T>(scope: HandlerScope, fn: () => T): T {
  return scopes.run(scope, fn);
}

/** The scope of the running handler, if it is the one that `definition` belongs to. */
export function handlerScopeOf(definition: object): HandlerScope | undefined {
  const scope = scopes.getStore();
  return scope?.definitions.includes(definition) ? scope : undefined;
}
