import {
  type AcquireOptions,
  type Lock,
  type LockMode,
  type ReleaseMode,
  type RunOptions,
  ZkLockConfigError,
} from 'zk-locks';
import {
  CONNECTION_HINTS,
  functionsOf,
  optionsOf,
  readChecked,
  resolveOption,
  show,
} from 'zk-locks/internal';
import { compileKeys, fixedKeyOf, type LockKeys, patternOf } from '../key/lock-key.js';
import type { LockService } from '../lock.service.js';
import { replacePlaceholder } from './current.js';
import type { MethodDescriptor } from './decorated-method.js';
import { LOCKED } from './decorator-errors.js';
import {
  type AnswersFor,
  type BusyArgs,
  type DecoratedMethod,
  defineKey,
  defineMethod,
  type GuardedDefinition,
  type HoldRequest,
  type LockableMethod,
  NotDueError,
  type OnBusy,
  refusal,
  refuseIfThrows,
  type TakesArgumentsOf,
} from './definition.js';
import { guardedCall, wrapMethod } from './guarded-call.js';
import { holdAtLeast, holdAtMost, type LockedWork } from './hold-times.js';
import { oneInOutage } from './one-in-outage.js';

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
 * - `ZooKeeperUnavailableError` and `ZkClosedError` when no lock can be had,
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
  options?: LockedOptions<TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy>,
): LockedDecorator<KeyArgs, TimeoutArgs, MinHoldArgs, MaxHoldArgs, Busy>;
/**
 * As `@Locked(key, { timeoutMs, mode })`.
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
  return (target, propertyKey, descriptor) => {
    const definition = defineLocked(target, propertyKey, descriptor, key, given);
    wrapMethod(target, descriptor as MethodDescriptor, definition, guardedCall);
  };
}

/**
 * What `@Locked()` takes besides the key.
 *
 * @publicApi
 */
export interface LockedOptions<
  TimeoutArgs extends unknown[] = unknown[],
  MinHoldArgs extends unknown[] = unknown[],
  MaxHoldArgs extends unknown[] = unknown[],
  Busy extends OnBusy = OnBusy,
> {
  /**
   * `read` lets other readers in; `write` excludes all others.
   * @default 'write'
   */
  mode?: LockMode;
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that gives it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, or 0 where `onBusy` is something else than `throw` and
   * `atMostEveryMs` is not set; also when the function returns `undefined`
   */
  timeoutMs?: number | ((...args: TimeoutArgs) => number | undefined);
  /**
   * What a call comes to whose lock is not free within `timeoutMs`: `throw` rejects with a
   * `LockTimeoutError`. `skip` resolves to `undefined` without running the method, so that its type
   * must allow that; an Observable completes without a value. A function of the method's arguments
   * answers in its place, by what it returns, its promise resolves to or its Observable emits, and may
   * throw. Nothing else counts as busy: neither an error of the method itself nor an unreachable
   * ZooKeeper.
   * @default 'throw'
   */
  onBusy?: Busy;
  /**
   * How long the lock is held at least, in milliseconds from its grant, or a function of the method's
   * arguments that gives it. The call is answered when the method has settled; if that is earlier, the
   * lock is kept in the background, and given back early only where it is lost or the application
   * shuts down. Keeps a scheduled method from running once more where another replica's clock is late.
   * @default 0, also when the function returns `undefined`
   */
  minHoldMs?: number | ((...args: MinHoldArgs) => number | undefined);
  /**
   * After how many milliseconds the lock's `signal` aborts with a `LockHoldTimeoutError`, or a function
   * of the method's arguments that gives it. The lock is held until the method has settled all the
   * same, and the call then rejects with that error if the method stopped for it. An Observable is
   * unsubscribed from at once.
   * @default none, also when the function returns `undefined`
   */
  maxHoldMs?: number | ((...args: MaxHoldArgs) => number | undefined);
  /**
   * Runs the method at most once in so many milliseconds over all replicas, for `@Cron()` jobs: by the
   * clock of ZooKeeper's leader, whatever the replicas' clocks show, also when the runner dies; see
   * `LockService.runAtMostEvery`. The time may be that between two firings; a run may be a tenth of it
   * early. A call that is not due resolves to `undefined`, or to what the function `onBusy` answers; the
   * others wait for the lock, as without `onBusy`. Only with one fixed key, mode `write`, client `wire`.
   * `LockService.lastRun` says who ran, when, and how that ended.
   * @default no limit
   */
  atMostEveryMs?: number;
  /**
   * Whether a call inside a section that holds the same key joins it. With `false` it queues up like
   * any other, for methods that a section starts and does not wait for.
   * @default true
   */
  reentrant?: boolean;
  /**
   * Whether the call waits for ZooKeeper's answer to the release of its lock. With `background` it
   * is done as soon as the release has been asked for.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the lock.
   * @default the connection without a name
   */
  connection?: string;
}

const LOCKED_OPTIONS = {
  ...optionsOf('mode', 'onBusy', 'atMostEveryMs', 'reentrant', 'release', 'connection'),
  ...functionsOf('timeoutMs', 'minHoldMs', 'maxHoldMs'),
};

/**
 * What stands behind the key: an object, or a timeout and a mode.
 *
 * @throws {ZkLockConfigError}
 */
function readLockedOptions(given: readonly unknown[]): LockedOptions {
  const [first, mode] = given;
  const asObject = "@Locked(key, { timeoutMs: 500, mode: 'read' })";
  if (given.length > 2) {
    const problem = `must be a key, a timeout and a mode at most; got ${given.length + 1}`;
    throw new ZkLockConfigError('arguments', problem, `Write ${asObject}, with all other options.`);
  }
  const isObject = typeof first === 'object' && first !== null;
  if (isObject && mode !== undefined) {
    const remedy = `Write it there: { mode: ${show(mode)} }.`;
    throw new ZkLockConfigError('mode', 'stands beside an object', remedy);
  }
  const isTimeout = typeof first === 'number' || typeof first === 'function';
  if (isTimeout || mode !== undefined) {
    return readChecked({ timeoutMs: first, mode } as LockedOptions, LOCKED_OPTIONS);
  }
  if (!isObject && first !== undefined && first !== null) {
    const problem = `must be an object, or the timeout in milliseconds; got ${show(first)}`;
    throw new ZkLockConfigError(
      'options',
      problem,
      `Write @Locked(key, 500, 'read') or ${asObject}.`,
    );
  }
  return readChecked(first as LockedOptions, LOCKED_OPTIONS, CONNECTION_HINTS);
}

/**
 * @param given what stands behind the key
 * @throws {LockedDecoratorError} when `@Locked()` does not stand on an instance's method, or was
 * given a key or options that cannot work
 */
export function defineLocked(
  target: object,
  propertyKey: string | symbol,
  descriptor: unknown,
  key: unknown,
  given: readonly unknown[],
): GuardedDefinition<Lock> {
  const method = defineMethod(target, propertyKey, descriptor, LOCKED);
  const options = refuseIfThrows(method, () => readLockedOptions(given));
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
        if (atMostEveryMs !== undefined) return runJob(service, keys, atMostEveryMs, waiting, work);
        const waits = runsAlone && waiting.timeoutMs !== 0;
        return waits ? oneInOutage(service, keys, takeLocked, work) : takeLocked(work);
      };
      const run: LockedWork<T> = (lock, all) =>
        maxHoldMs === undefined ? section(lock) : holdAtMost({ maxHoldMs, lock, all }, section);
      if (minHoldMs === 0) return take(run);
      return holdAtLeast({ minHoldMs, closing: service.closing }, take, run);
    },
    // That other lock is the innermost one then, and its decorator fills it in.
    ...(!method.wrapsLock && { fillIn: replacePlaceholder }),
  };
}

/** @throws {LockedDecoratorError} */
function refuseIfNoJob(method: DecoratedMethod, key: unknown, { mode }: LockedOptions): void {
  if (fixedKeyOf(key) === undefined) {
    throw refusal(
      method,
      'its option `atMostEveryMs` needs one fixed key, for the record of a run stays in ZooKeeper. Name the job by a text without holes.',
    );
  }
  if (mode !== 'read') return;
  throw refusal(
    method,
    "its option `atMostEveryMs` needs a lock that is not shared. Leave out mode: 'read'.",
  );
}

/** @throws {NotDueError} */
async function runJob<T>(
  service: LockService,
  [key = '']: readonly string[],
  everyMs: number,
  options: RunOptions,
  work: LockedWork<T>,
): Promise<T> {
  const run = await service.runAtMostEvery(key, everyMs, options, (lock) => work(lock, [lock]));
  if (run.ran) return run.result;
  throw new NotDueError(key, run.last);
}

/** One or several keys; the first is that of the lock which stands for the others. */
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
