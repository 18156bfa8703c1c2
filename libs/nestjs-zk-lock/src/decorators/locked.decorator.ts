import type { AcquireOptions, Lock, LockMode, RunOptions } from 'zk-locks';
import { resolveOption } from 'zk-locks/framework';
import { nameProcess } from 'zk-locks/inspect';
import { compileKeys, fixedKeyOf, type LockKeys, patternOf } from '../key/lock-key.js';
import type { LockService } from '../lock.service.js';
import { replacePlaceholder } from './current.js';
import { type DecoratedMethod, refuseWithoutParentheses } from './decorated-method.js';
import { LOCKED } from './decorator-errors.js';
import {
  type AnswersFor,
  type BusyArgs,
  defineKey,
  type GuardedDefinition,
  type HoldRequest,
  type LockableMethod,
  type OnBusy,
  refusal,
  refuseAboveLeader,
  refuseIfThrows,
  SkippedError,
  type TakesArgumentsOf,
} from './definition.js';
import { decorate, guardedCall } from './guarded-call.js';
import { holdAtLeast, holdAtMost, type LockedWork } from './hold-times.js';
import { type LockedOptions, readLockedOptions } from './locked.options.js';
import { oneInOutage } from './one-in-outage.js';

/**
 * The type of `@Locked()`. It accepts methods whose arguments match those of its functions. The
 * compiler cannot check that through `applyDecorators()`, which is why the descriptor is optional.
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
 * For a job: as below, but a call that is not due resolves to `undefined` even without `onBusy`, so
 * the method's type must allow that.
 *
 * @example
 * ```ts
 * @Cron('0 * * * *')
 * @Locked('billing', { atMostEveryMs: 3_600_000 })
 * async bill(): Promise<void> {}
 * ```
 *
 * @param key one fixed string
 * @param options with {@link LockedOptions.atMostEveryMs}
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 * @publicApi
 */
export function Locked<
  KeyArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
  MinHoldArgs extends unknown[] = unknown[],
  MaxHoldArgs extends unknown[] = unknown[],
>(
  key: LockKeys<KeyArgs>,
  options: LockedOptions<TimeoutArgs, MinHoldArgs, MaxHoldArgs, 'throw'> & {
    atMostEveryMs: number;
  },
): LockedDecorator<KeyArgs, TimeoutArgs, MinHoldArgs, MaxHoldArgs, 'skip'>;
/**
 * Runs the method while holding a lock, so that only one replica at a time runs it (or several
 * readers do).
 *
 * Works on the methods of providers and on handlers: controllers, gateways, resolvers, `@Cron()`,
 * `@OnEvent()`, `@MessagePattern()`, in either order with their decorators. A handler acquires its
 * lock after its pipes have run. The lock is released when the method's promise has settled. For an
 * Observable, it is acquired on subscription, and released when the Observable completes, fails or
 * is unsubscribed from. The response of an `@Sse()` handler begins before its lock is acquired, so
 * a lock error arrives as an `error` event of the stream. An error that occurs within a few
 * milliseconds, such as that of a single try, may still become the response's status.
 *
 * A method that returns a generator or an async iterator, even in a promise, is refused when it is
 * called, because these do their work after the release. A `Readable`, `StreamableFile`, web `Response` or
 * other async iterable is not refused, but it is also read after the release: leave no work to it
 * that needs the lock.
 *
 * A nested call with the same key joins the lock, so a method may call another one, or `super`. The
 * method never runs without its lock.
 *
 * @example
 * ```ts
 * @Locked('nightly-report')
 * async report() {}
 *
 * @Locked('order:{0.id}', 5_000)
 * async ship(order: Order) {}
 *
 * @Locked((show: string) => `show:${show}`, 5_000, 'read')
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
 * @param key a string; a template with placeholders, which consist of an argument's index and a
 * path inside that argument (write `{{` and `}}` for literal braces); or a synchronous function of
 * the method's arguments. The keys of an array are locked together, all or none, in an order that
 * is the same everywhere. The method's lock is then that of the first key, and counts as lost as
 * soon as one of them is lost.
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 *
 * Besides its own errors, the decorated method rejects with
 * - `LockTimeoutError` when the lock was still busy after `timeoutMs`, unless `onBusy` says
 *   otherwise,
 * - `LockQueueFullError` when `maxWaiting` calls were already waiting,
 * - `LockLostError` when the lock was lost while the method ran,
 * - `LockHoldTimeoutError` when the method stopped after `maxHoldMs`,
 * - `LockKeyError` when the arguments yield no key,
 * - `LockUpgradeError` for `write` inside `read` of the same key,
 * - `ZkLockConfigError` when a function of the options throws, or returns a value that cannot be used,
 * - `LockDirectoryError` and `LockAccessError` when the key's directory cannot be used,
 * - `ZooKeeperUnavailableError` and `ZkClosedError` when locks are not available,
 * - `LockedSetupError` when Nest did not create the object, or `ZkLockModule` is not imported,
 * - `LockedDecoratorError` when it returned something that would work without the lock.
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
  options?: LockedOptions<TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy>,
): LockedDecorator<KeyArgs, TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy>;
/**
 * Short for `@Locked(key, { timeoutMs, mode })`.
 *
 * @example
 * ```ts
 * @Locked('order:{0.id}', 5_000)
 * async ship(order: Order) {}
 *
 * @Locked('prices', 500, 'read')
 * async quote() {}
 * ```
 *
 * @param key as above
 * @param timeoutMs {@link LockedOptions.timeoutMs}
 * @param mode {@link LockedOptions.mode}
 * @throws {LockedDecoratorError} while the class is defined, when it cannot work as written
 * @publicApi
 */
export function Locked<
  KeyArgs extends unknown[] = unknown[],
  TimeoutArgs extends unknown[] = unknown[],
>(
  key: LockKeys<KeyArgs>,
  timeoutMs: LockedOptions<TimeoutArgs>['timeoutMs'],
  mode?: LockMode,
): LockedDecorator<KeyArgs, TimeoutArgs>;
export function Locked(
  key: unknown,
  ...given: readonly unknown[]
): LockedDecorator<unknown[], unknown[]> {
  refuseWithoutParentheses(LOCKED, key, given[0]);
  return decorate(LOCKED, (method) => defineLocked(method, key, given), guardedCall);
}

/**
 * @param given the arguments after the key
 * @throws {LockedDecoratorError} when the key or the options cannot work
 */
function defineLocked(
  method: DecoratedMethod,
  key: unknown,
  given: readonly unknown[],
): GuardedDefinition<Lock> {
  const options = refuseIfThrows(method, () => readLockedOptions(given));
  refuseAboveLeader(method, options);
  const keysOf = defineKey(method, key, compileKeys);
  const { mode, reentrant, release, atMostEveryMs } = options;
  if (atMostEveryMs !== undefined) refuseIfNoJob(method, key, options);
  const pattern = refuseIfThrows(method, () => patternOf(key, method.method));
  const runsAlone = (options.onBusy ?? 'throw') !== 'throw' && mode !== 'read';
  return {
    ...method,
    options,
    pattern,
    job: atMostEveryMs === undefined ? undefined : fixedKeyOf(key),
    async hold<T>(
      service: LockService,
      { args, ...waiting }: HoldRequest,
      section: (lock: Lock) => Promise<T>,
    ): Promise<T> {
      const minHoldMs = resolveOption('minHoldMs', options.minHoldMs, args) ?? 0;
      const maxHoldMs = resolveOption('maxHoldMs', options.maxHoldMs, args);
      const keys = keysOf(args);
      const acquireOptions = { mode, reentrant, release, ...waiting };
      const takeLocked = (work: LockedWork<T>) => runLocked(service, keys, acquireOptions, work);
      const take = (work: LockedWork<T>) => {
        if (atMostEveryMs !== undefined) {
          return runJob(service, keys, atMostEveryMs, { release, ...waiting }, work);
        }
        const waits = runsAlone && waiting.timeoutMs !== 0;
        return waits ? oneInOutage(service, keys, takeLocked, work) : takeLocked(work);
      };
      const run: LockedWork<T> = (lock, all) =>
        maxHoldMs === undefined ? section(lock) : holdAtMost({ maxHoldMs, lock, all }, section);
      if (minHoldMs === 0) return take(run);
      return holdAtLeast({ minHoldMs, closing: service.closing }, take, run);
    },
    // In that case, the other lock is the innermost one, and its decorator fills it in.
    ...(!method.wrapsLock && { fillIn: replacePlaceholder }),
  };
}

/** @throws {LockedDecoratorError} */
function refuseIfNoJob(
  method: DecoratedMethod,
  key: unknown,
  { mode, minHoldMs, reentrant }: LockedOptions,
): void {
  const refuse = (problem: string): never => {
    throw refusal(method, `its option \`atMostEveryMs\` ${problem}`);
  };
  if (fixedKeyOf(key) === undefined) {
    refuse(
      'needs one fixed key, because the record of a run stays in ZooKeeper. Pass a string without placeholders.',
    );
  }
  if (mode === 'read') refuse("needs a lock that is not shared. Omit mode: 'read'.");
  if (minHoldMs !== undefined) {
    refuse('already keeps other replicas from running it again. Omit `minHoldMs`.');
  }
  if (reentrant !== undefined) refuse('always takes a lock of its own. Omit `reentrant`.');
}

/** @throws {SkippedError} when the job has run too recently */
async function runJob<T>(
  service: LockService,
  [key = '']: readonly string[],
  everyMs: number,
  options: RunOptions,
  work: LockedWork<T>,
): Promise<T> {
  const run = await service.runAtMostEvery(key, everyMs, options, (lock) => work(lock, [lock]));
  if (run.ran) return run.result;
  const { last } = run;
  throw new SkippedError(
    `the job "${key}" ran at ${last.since.toISOString()} in ${nameProcess(last)}`,
  );
}

/** Takes one or several keys; the lock of the first one stands for the others. */
function runLocked<T>(
  service: LockService,
  [first = '', ...more]: readonly string[],
  options: AcquireOptions,
  work: LockedWork<T>,
): Promise<T> {
  if (more.length === 0) return service.withLock(first, options, (lock) => work(lock, [lock]));
  return service.withLocks([first, ...more], options, ({ locks }) =>
    work(service.currentLock(first), locks),
  );
}
