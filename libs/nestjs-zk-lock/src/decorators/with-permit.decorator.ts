import type { ModulesContainer } from '@nestjs/core';
import type { ReleaseMode, SemaphoreOptions } from 'zk-locks';
import {
  checkTake,
  CONNECTION_HINTS,
  functionsOf,
  later,
  optionsOf,
  readChecked,
  resolveOption,
  resolvePermitCount,
} from 'zk-locks/internal';
import type { AgreedPermits } from '../agreed-permits.js';
import { compileKey, fixedKeyOf, type LockKey, patternOf } from '../key/lock-key.js';
import { internalsOf } from '../service-internals.js';
import { definitionsIn, type MethodDescriptor } from './decorated-method.js';
import { WITH_PERMIT } from './decorator-errors.js';
import {
  type AnswersFor,
  type BusyArgs,
  defineKey,
  defineMethod,
  type GuardedDefinition,
  type LockableMethod,
  type OnBusy,
  refuseIfThrows,
  type TakesArgumentsOf,
} from './definition.js';
import { guardedCall, wrapMethod } from './guarded-call.js';

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
 * - `ZooKeeperUnavailableError` and `ZkClosedError` when no permit can be had,
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
    wrapMethod(target, descriptor as MethodDescriptor, definition, guardedCall);
  };
}

/**
 * What `@WithPermit()` takes besides the key.
 *
 * @publicApi
 */
export interface WithPermitOptions<
  TakeArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
  Busy extends OnBusy = OnBusy,
> {
  /**
   * How many permits there are, as for `LockService.semaphore()`.
   * @default what `ZkLockModule.forFeature()` says for the key
   */
  permits?: SemaphoreOptions['permits'];
  /**
   * How many permits one call takes, all or none, or a function of the method's arguments that gives
   * it.
   * @default 1, also when the function returns `undefined`
   */
  take?: number | ((...args: TakeArgs) => number | undefined);
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that gives it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, or 0 where `onBusy` is something else than `throw`; also
   * when the function returns `undefined`
   */
  timeoutMs?: number | ((...args: TimeoutArgs) => number | undefined);
  /**
   * What a call comes to that does not have its permits within `timeoutMs`, as with `@Locked()`:
   * `throw` rejects with a `LockTimeoutError`, `skip` resolves to `undefined` without running the
   * method, and a function of the method's arguments answers in its place.
   * @default 'throw'
   */
  onBusy?: Busy;
  /**
   * Whether the call waits for ZooKeeper's answer to the release of its permits. With `background`
   * it is done as soon as the release has been asked for.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the semaphore.
   * @default the connection without a name
   */
  connection?: string;
}

const WITH_PERMIT_OPTIONS = {
  ...optionsOf('permits', 'onBusy', 'release', 'connection'),
  ...functionsOf('timeoutMs'),
  take: later,
};

/** All that one `@WithPermit()` says, checked. */
export interface WithPermitDefinition extends GuardedDefinition {
  /**
   * Compares it with what the application has agreed on for its key, where that is a fixed text.
   *
   * @throws {LockedDecoratorError}
   */
  readonly checkPermits: (agreed: AgreedPermits) => void;
}

/**
 * @throws {LockedDecoratorError} when `@WithPermit()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineWithPermit(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  given: unknown,
): WithPermitDefinition {
  const method = defineMethod(target, propertyKey, descriptor, WITH_PERMIT);
  const refusing = <T>(check: () => T): T => refuseIfThrows(method, check);
  const options = refusing(() =>
    readChecked(given as WithPermitOptions, WITH_PERMIT_OPTIONS, CONNECTION_HINTS),
  );
  const { permits, take = 1, release } = options;
  refusing(() => readTake(typeof take === 'function' ? 1 : take, permits));
  const keyOf = defineKey(method, key, compileKey);
  const pattern = refusing(() => patternOf(key, method.method));
  return {
    ...method,
    options,
    pattern,
    checkPermits(agreed) {
      const fixedKey = fixedKeyOf(key);
      if (fixedKey === undefined) return;
      refusing(() => {
        if (permits !== undefined) agreed.check(fixedKey, permits);
        else if (typeof take !== 'function') readTake(take, agreed.of(fixedKey));
        else agreed.of(fixedKey);
      });
    },
    async hold(service, { args, ...waiting }, section) {
      const key = keyOf(args);
      const agreed = permits ?? internalsOf(service).agreedPermits.of(key);
      const taken = readTake(resolveOption('take', take, args) ?? 1, agreed);
      const semaphore = service.semaphore(key, { permits: agreed, pattern });
      return semaphore.withPermit({ take: taken, release, ...waiting }, (permit) =>
        section({ key: permit.key, mode: 'permit', signal: permit.signal }),
      );
    },
  };
}

/**
 * How many permits a call takes.
 *
 * @param permits how many there are, where that is known
 * @throws {ZkLockConfigError} when they are not that many
 */
function readTake(take: unknown, permits: SemaphoreOptions['permits'] | undefined): number {
  const count = permits === undefined ? undefined : resolvePermitCount(permits, '');
  return checkTake(take, count);
}

/**
 * Compares all `@WithPermit()` methods that use a connection with what `forFeature()` says.
 *
 * @throws {LockedDecoratorError}
 */
export function checkDecoratedPermits(
  modules: ModulesContainer,
  connection: string | undefined,
  agreed: AgreedPermits,
): void {
  for (const definition of definitionsIn<WithPermitDefinition>(modules, WITH_PERMIT)) {
    if (definition.options.connection === connection) definition.checkPermits(agreed);
  }
}
