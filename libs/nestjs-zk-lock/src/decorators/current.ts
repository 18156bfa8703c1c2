import { AsyncLocalStorage } from 'node:async_hooks';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Lock, Permit } from 'zk-locks';
import { currentLock as innermostLock, currentPermit as innermostPermit } from 'zk-locks/internal';
import { hasLock } from './decorated-method.js';
import { LockedSetupError, NoCurrentLockError, NoCurrentPermitError } from './decorator-errors.js';

/**
 * The innermost lock held around the calling code, by a `@Locked()` method or by `withLock()`, of
 * any connection.
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
 * @throws {NoCurrentLockError} outside of a section that holds a lock
 * @publicApi
 */
export function currentLock(): Lock {
  const lock = innermostLock();
  if (!lock) throw new NoCurrentLockError();
  return lock;
}

/**
 * The innermost permit held around the calling code, by a `@WithPermit()` method or by a semaphore's
 * `withPermit()`, of any connection. A lock in between does not hide it, nor does it hide a lock from
 * `currentLock()`.
 *
 * @example
 * ```ts
 * @WithPermit('gpu', { permits: 4 })
 * async render(job: Job) {
 *   await this.farm.render(job, { signal: currentPermit().signal });
 * }
 * ```
 *
 * @throws {NoCurrentPermitError} outside of a section that holds permits
 * @publicApi
 */
export function currentPermit(): Permit {
  const permit = innermostPermit();
  if (!permit) throw new NoCurrentPermitError();
  return permit;
}

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
