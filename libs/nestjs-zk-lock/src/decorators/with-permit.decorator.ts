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
} from 'zk-locks/framework';
import { internalsOf } from '../lock.service.js';
import type { AgreedPermits } from '../agreed-permits.js';
import { compileKey, fixedKeyOf, type LockKey, patternOf } from '../key/lock-key.js';
import {
  type DecoratedMethod,
  definitionsIn,
  refuseWithoutParentheses,
} from './decorated-method.js';
import { WITH_PERMIT } from './decorator-errors.js';
import {
  type AnswersFor,
  type BusyArgs,
  defineKey,
  type GuardedDefinition,
  type LockableMethod,
  type OnBusy,
  refuseAboveLeader,
  refuseIfThrows,
  type TakesArgumentsOf,
} from './definition.js';
import { decorate, guardedCall } from './guarded-call.js';

/**
 * The type of `@WithPermit()`. It accepts methods whose arguments match those of its functions. The
 * compiler cannot check that through `applyDecorators()`, which is why the descriptor is optional.
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
 * Runs the method while holding permits of its key's semaphore, so that at most `permits` calls run
 * at a time across all replicas.
 *
 * Works wherever `@Locked()` does, in either order with it and with Nest's decorators, and holds
 * its permits for the same time: until the method's promise has settled, or its Observable has
 * ended. A handler acquires its permits after its pipes have run, and stops waiting for them when
 * its caller has left. The method never runs without its permits.
 *
 * It is not reentrant: a decorated method that calls another one with the same key, itself or
 * `super`, waits for additional permits. If it holds the last ones, it waits until `timeoutMs` is
 * over. If `@Locked()` is on the same method, the upper decorator waits first. All methods should
 * use both in the same order; otherwise, two calls may wait for each other for that long.
 *
 * Every decorator with the same key refers to the same semaphore and must have the same `permits`.
 * Declare the number once, in `ZkLockModule.forFeature()`, and omit it here; another number for the
 * key is then refused. Without that, each call uses its own number.
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
 * @param key one string, template or function of the arguments, as for `@Locked()`; not the key of
 * a lock
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written; at
 * bootstrap, when `forFeature()` declares other permits for its key, or neither declares any
 *
 * Besides its own errors, the decorated method rejects with
 * - `LockTimeoutError` when there were too few free permits in time, unless `onBusy` says
 *   otherwise,
 * - `LockQueueFullError` when `maxWaiting` calls were already waiting,
 * - `LockLostError` after it has settled, when a permit was lost while it ran; an Observable stops
 *   immediately,
 * - `LockKeyError` when the arguments yield no key,
 * - `LockDirectoryError` when the key is that of a lock,
 * - `ZkLockConfigError` when `take` is not a valid number of permits, or `permits` is not declared,
 * - `SharedCountError` and `LockAccessError` when the shared count or the directory cannot be used,
 * - `ZooKeeperUnavailableError` and `ZkClosedError` when permits are not available,
 * - `LockedSetupError` when Nest did not create the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned something that would work without permits.
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
  refuseWithoutParentheses(WITH_PERMIT, key, options);
  return decorate(WITH_PERMIT, (method) => defineWithPermit(method, key, options), guardedCall);
}

/**
 * Options of `@WithPermit()`.
 *
 * @publicApi
 */
export interface WithPermitOptions<
  TakeArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
  Busy extends OnBusy = OnBusy,
> {
  /**
   * The number of permits, as for `LockService.semaphore()`.
   * @default the number that `ZkLockModule.forFeature()` declares for the key
   */
  permits?: SemaphoreOptions['permits'] | undefined;
  /**
   * How many permits one call takes, all or none, or a function of the method's arguments that
   * returns it.
   * @default 1, also when the function returns `undefined`
   */
  take?: number | ((...args: TakeArgs) => number | undefined) | undefined;
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that returns it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, or 0 if `onBusy` is not `throw`; also when the
   * function returns `undefined`
   */
  timeoutMs?: number | ((...args: TimeoutArgs) => number | undefined) | undefined;
  /**
   * What happens to a call that does not get its permits within `timeoutMs`, as with `@Locked()`:
   * `throw` rejects with a `LockTimeoutError`, `skip` resolves to `undefined` without running the
   * method, and a function of the method's arguments provides the result instead.
   * @default 'throw'
   */
  onBusy?: Busy | undefined;
  /**
   * Whether the call waits for ZooKeeper's answer to the release of its permits. With `background`,
   * it settles as soon as the release has been requested.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode | undefined;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper stores the semaphore.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

const WITH_PERMIT_OPTIONS = {
  ...optionsOf('permits', 'onBusy', 'release', 'connection'),
  ...functionsOf('timeoutMs'),
  take: later,
};

/** The checked definition of one `@WithPermit()`. */
export interface WithPermitDefinition extends GuardedDefinition {
  /**
   * Compares it with the number that the application declares for its key, if that is a fixed
   * string.
   *
   * @throws {LockedDecoratorError}
   */
  readonly checkPermits: (agreed: AgreedPermits) => void;
}

/** @throws {LockedDecoratorError} when the key or the options cannot work */
function defineWithPermit(
  method: DecoratedMethod,
  key: unknown,
  given: unknown,
): WithPermitDefinition {
  const refusing = <T>(check: () => T): T => refuseIfThrows(method, check);
  const options = refusing(() =>
    readChecked(given as WithPermitOptions, WITH_PERMIT_OPTIONS, CONNECTION_HINTS),
  );
  refuseAboveLeader(method, options);
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
 * @param permits the number of permits of the semaphore, if it is known
 * @throws {ZkLockConfigError} when the semaphore has fewer permits
 */
function readTake(take: unknown, permits: SemaphoreOptions['permits'] | undefined): number {
  const count = permits === undefined ? undefined : resolvePermitCount(permits, '');
  return checkTake(take, count);
}

/**
 * Compares all `@WithPermit()` methods that use a connection with its `forFeature()` declarations.
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
