import type { MethodDescriptor } from '../guarded/decorated-method.js';
import { guardedCall } from '../guarded/guarded-call.js';
import type { LockKey } from '../guarded/lock-key.js';
import type { LockableMethod, TakesArgumentsOf } from '../guarded/lockable-method.js';
import { injectModuleRef } from '../guarded/module-ref-injection.js';
import type { AnswersFor, BusyArgs, OnBusy } from '../guarded/on-busy.js';
import { wrapMethod } from '../guarded/wrap-method.js';
import { WITH_PERMIT_METADATA } from '../zk-lock.constants.js';
import { defineWithPermit } from './with-permit-definition.js';
import type { WithPermitOptions } from './with-permit.options.js';

/**
 * What `@WithPermit()` returns. It accepts methods whose arguments its functions take. The compiler
 * cannot check those through `applyDecorators()`, for the sake of which the descriptor is optional.
 *
 * @publicApi
 */
export type WithPermitDecorator<
  KeyArgs extends unknown[],
  TakeArgs extends unknown[],
  TimeoutArgs extends unknown[],
  Busy extends OnBusy = 'throw',
> = <Method extends LockableMethod>(
  target: object,
  propertyKey: string | symbol,
  descriptor?: TypedPropertyDescriptor<Method> &
    TakesArgumentsOf<Method, KeyArgs> &
    TakesArgumentsOf<Method, TakeArgs> &
    TakesArgumentsOf<Method, TimeoutArgs> &
    TakesArgumentsOf<Method, BusyArgs<Busy>> &
    AnswersFor<Method, Busy>,
) => void;

/**
 * Runs the method while holding permits of the semaphore of its key, so that no more than `permits`
 * calls run at a time, over all replicas.
 *
 * Works wherever `@Locked()` does, in either order with it and with Nest's decorators, and holds its
 * permits as long: until the method's promise has settled, or its Observable is over. A handler's
 * arguments have passed its pipes before permits are taken, and they are not waited for any longer
 * once its HTTP client has gone. The method never runs without its permits.
 *
 * It is not reentrant: a decorated method that calls another one with the same key, itself or
 * `super`, waits for permits beside those it has, and where it has the last ones until `timeoutMs`
 * is over. Where `@Locked()` stands on the same method, the upper one waits first; let all methods
 * take both in the same order, or two calls may wait for each other that long.
 *
 * Every decorator with the same key names the same semaphore, and must have the same `permits`. Name
 * the number once, in `ZkLockModule.forFeature()`, and leave it out here: another number for the key
 * is then refused. Without that, each call is let in by its own number.
 *
 * @example
 * ```ts
 * @WithPermit('gpu', { permits: 4 })
 * async render(job: Job) {}
 *
 * @WithPermit('cards') // imports: [ZkLockModule.forFeature({ semaphores: [{ key: 'cards', permits: 4 }] })]
 * async draw(job: Job) {}
 *
 * @WithPermit('disk:{0}', { permits: 10, take: (_disk: string, mb: number) => Math.ceil(mb / 100) })
 * async copy(disk: string, mb: number) {}
 *
 * @WithPermit('mail', { permits: { sharedCount: '/counts/mail', seed: 5 } })
 * async send(mail: Mail) {}
 * ```
 *
 * @param key one text, template or function of the arguments, as for `@Locked()`; not the key of a
 * lock
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written; at
 * bootstrap, when `forFeature()` names other permits for its key, or none where it names none itself
 *
 * The decorated method rejects, besides its own errors, with
 * - `LockTimeoutError` when not enough permits were free in time, unless `onBusy` says otherwise,
 * - `LockLostError` after it has settled, when a permit was lost while it ran; an Observable stops
 *   at once,
 * - `LockKeyError` when the arguments give no key,
 * - `LockDirectoryError` when the key is that of a lock,
 * - `ZkLockConfigError` when `take` gives no number of permits, or nothing names the `permits`,
 * - `ZooKeeperUnavailableError` and `LockServiceClosedError` when no permit can be had,
 * - `LockedSetupError` when Nest did not build the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned what would work without permits.
 *
 * @publicApi
 */
export function WithPermit<
  KeyArgs extends unknown[] = unknown[],
  TakeArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
  Busy extends OnBusy = 'throw',
>(
  key: LockKey<KeyArgs>,
  options: WithPermitOptions<TakeArgs, TimeoutArgs, Busy> = {},
): WithPermitDecorator<KeyArgs, TakeArgs, TimeoutArgs, Busy> {
  return (target, propertyKey, descriptor) => {
    const definition = defineWithPermit(target, propertyKey, descriptor, key, options);
    wrapMethod(descriptor as MethodDescriptor, WITH_PERMIT_METADATA, definition, (call) =>
      guardedCall(definition, call),
    );
    injectModuleRef(target);
  };
}
