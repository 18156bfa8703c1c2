import type { MethodDescriptor } from '../guarded/decorated-method.js';
import { guardedCall } from '../guarded/guarded-call.js';
import type { LockKeys } from '../guarded/lock-key.js';
import type { LockableMethod, TakesArgumentsOf } from '../guarded/lockable-method.js';
import { injectModuleRef } from '../guarded/module-ref-injection.js';
import type { AnswersFor, BusyArgs, OnBusy } from '../guarded/on-busy.js';
import { wrapMethod } from '../guarded/wrap-method.js';
import { LOCKED_METADATA } from '../zk-lock.constants.js';
import { defineLocked } from './locked-definition.js';
import type { LockedOptions } from './locked.options.js';

/**
 * What `@Locked()` returns. It accepts methods whose arguments its functions take. The compiler
 * cannot check those through `applyDecorators()`, for the sake of which the descriptor is optional.
 *
 * @publicApi
 */
export type LockedDecorator<
  KeyArgs extends unknown[],
  TimeoutArgs extends unknown[],
  MinHoldArgs extends unknown[] = unknown[],
  MaxHoldArgs extends unknown[] = unknown[],
  Busy extends OnBusy = 'throw',
> = <Method extends LockableMethod>(
  target: object,
  propertyKey: string | symbol,
  descriptor?: TypedPropertyDescriptor<Method> &
    TakesArgumentsOf<Method, KeyArgs> &
    TakesArgumentsOf<Method, TimeoutArgs> &
    TakesArgumentsOf<Method, MinHoldArgs> &
    TakesArgumentsOf<Method, MaxHoldArgs> &
    TakesArgumentsOf<Method, BusyArgs<Busy>> &
    AnswersFor<Method, Busy>,
) => void;

/**
 * Runs the method while holding a lock, so that one replica at a time runs it (or many readers do).
 *
 * Works on the methods of providers and on handlers: controllers, gateways, resolvers, `@Cron()`,
 * `@OnEvent()`, `@MessagePattern()`, in either order with their decorators. A handler's arguments
 * have passed its pipes before the lock is taken. The lock is released when the method's promise has
 * settled; for an Observable it is taken when that is subscribed, and released when it completes,
 * errors or is unsubscribed. An `@Sse()` handler's response begins before its lock is taken, so
 * that a lock error comes as its `error` event; one that comes within some milliseconds, as of a
 * single try, may be the response's status.
 *
 * A method that returns a generator or an async iterator, also in a promise, is refused when it is
 * called, for these work after the release. A `Readable` or `StreamableFile` is not: it is read after
 * the release, so let nothing that needs the lock be left to it.
 *
 * A nested call with the same key joins the holding, so that a method may call another one, or
 * `super`. The method never runs without its lock.
 *
 * @example
 * ```ts
 * @Locked('nightly-report')
 * async report() {}
 *
 * @Locked('order:{0.id}', { timeoutMs: 5_000 })
 * async ship(order: Order) {}
 *
 * @Locked((show: string) => `show:${show}`, { mode: 'read' })
 * async sold(show: string) {}
 *
 * @Locked(['account:{0}', 'account:{1}'])
 * async transfer(from: string, to: string) {}
 *
 * @Cron('0 3 * * *')
 * @Locked('clean-up', { onBusy: 'skip', minHoldMs: 10_000 })
 * async cleanUp(): Promise<void> {}
 * ```
 *
 * @param key a text; a template with the index of an argument and a path inside it as a hole, and
 * `{{`, `}}` for braces; or a synchronous function of the method's arguments. Several of them, in an
 * array, are locked together, all or none, in an order that is the same everywhere; the method's own
 * lock is then that of the first, and lost as soon as one of them is.
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 *
 * The decorated method rejects, besides its own errors, with
 * - `LockTimeoutError` when the lock was not free in time, unless `onBusy` says otherwise,
 * - `LockLostError` when it was lost while the method ran,
 * - `LockHoldTimeoutError` when the method stopped after `maxHoldMs`,
 * - `LockKeyError` when the arguments give no key,
 * - `LockUpgradeError` for `write` inside `read` of the same key,
 * - `ZooKeeperUnavailableError` and `LockServiceClosedError` when no lock can be had,
 * - `LockedSetupError` when Nest did not build the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned what would work without the lock.
 *
 * @publicApi
 */
export function Locked<
  KeyArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
  MinHoldArgs extends unknown[] = unknown[],
  MaxHoldArgs extends unknown[] = unknown[],
  Busy extends OnBusy = 'throw',
>(
  key: LockKeys<KeyArgs>,
  options: LockedOptions<TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy> = {},
): LockedDecorator<KeyArgs, TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy> {
  return (target, propertyKey, descriptor) => {
    const definition = defineLocked(target, propertyKey, descriptor, key, options);
    wrapMethod(descriptor as MethodDescriptor, LOCKED_METADATA, definition, (call) =>
      guardedCall(definition, call),
    );
    injectModuleRef(target);
  };
}
