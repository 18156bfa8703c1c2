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
} from 'zk-locks/framework';
import { nameProcess } from 'zk-locks/inspect';
import { compileKeys, fixedKeyOf, type LockKeys, patternOf } from '../key/lock-key.js';
import type { LockService } from '../lock.service.js';
import { replacePlaceholder } from './current.js';
import {
  type DecoratedMethod,
  type MethodDescriptor,
  refuseWithoutParentheses,
} from './decorated-method.js';
import { LOCKED } from './decorator-errors.js';
import {
  type AnswersFor,
  type BusyArgs,
  defineKey,
  defineMethod,
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
import { guardedCall, wrapMethod } from './guarded-call.js';
import { holdAtLeast, holdAtMost, type LockedWork } from './hold-times.js';
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
  return (target, propertyKey, descriptor) => {
    const definition = defineLocked(target, propertyKey, descriptor, key, given);
    wrapMethod(target, descriptor as MethodDescriptor, definition, guardedCall);
  };
}

/**
 * Options of `@Locked()`.
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
   * `read` shares the lock with other readers; `write` excludes all other holders.
   * @default 'write'
   */
  mode?: LockMode | undefined;
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that returns it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, or 0 if `onBusy` is not `throw` and `atMostEveryMs`
   * is not set; also when the function returns `undefined`
   */
  timeoutMs?: number | ((...args: TimeoutArgs) => number | undefined);
  /**
   * What happens to a call whose lock is still busy after `timeoutMs`. `throw` rejects with a
   * `LockTimeoutError`. `skip` resolves to `undefined` without running the method, so the method's
   * type must allow that; an Observable completes without a value. A function of the method's
   * arguments provides the result instead: its return value, or what its promise resolves to or its
   * Observable emits. The function may throw. Errors of the method itself and an unreachable
   * ZooKeeper do not count as busy.
   * @default 'throw'
   */
  onBusy?: Busy | undefined;
  /**
   * The shortest time for which the lock is held, in milliseconds from its grant, or a function of
   * the method's arguments that returns it. The call settles with the method. If that happens
   * earlier, the lock is kept in the background until the time is over, it is lost, or the
   * application shuts down. Use it to keep a scheduled method from running again on a replica with
   * a lagging clock. Cannot be combined with `atMostEveryMs`, which does the same and outlives the
   * process.
   * @default 0, also when the function returns `undefined`
   */
  minHoldMs?: number | ((...args: MinHoldArgs) => number | undefined);
  /**
   * After how many milliseconds the lock's `signal` aborts with a `LockHoldTimeoutError`, or a
   * function of the method's arguments that returns it. The lock is still held until the method has
   * settled. If the method stopped because of the signal, the call rejects with that error. An
   * Observable is unsubscribed from immediately.
   * @default none, also when the function returns `undefined`
   */
  maxHoldMs?: number | ((...args: MaxHoldArgs) => number | undefined);
  /**
   * Runs the method at most once in this many milliseconds across all replicas, for `@Cron()` jobs.
   * The time is measured by the clock of ZooKeeper's leader, whatever the replicas' clocks show,
   * and a run counts even if its process dies; see `LockService.runAtMostEvery`. You can pass the
   * interval between two firings; a run may start up to 10% early. A call that is not due resolves
   * to `undefined`, or to the result of the function `onBusy`. Other calls wait for the lock, as
   * without `onBusy`. Requires a single fixed key, mode `write` and the client `wire`.
   * `LockService.lastRun` returns who ran it, when, and with what outcome.
   * @default no limit
   */
  atMostEveryMs?: number | undefined;
  /**
   * Whether a call inside a section that holds the same key joins its lock. With `false`, it queues
   * like any other call; use that for methods that a section starts but does not await. Cannot be
   * combined with `atMostEveryMs`, which always queues.
   * @default true
   */
  reentrant?: boolean | undefined;
  /**
   * Whether the call waits for ZooKeeper's answer to the release of its lock. With `background`, it
   * settles as soon as the release has been requested.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode | undefined;
  /**
   * The `name` of the `ZkLockModule` whose ZooKeeper stores the lock.
   * @default the connection without a name
   */
  connection?: string | undefined;
}

const LOCKED_OPTIONS = {
  ...optionsOf('mode', 'onBusy', 'atMostEveryMs', 'reentrant', 'release', 'connection'),
  ...functionsOf('timeoutMs', 'minHoldMs', 'maxHoldMs'),
};

/**
 * Reads the arguments after the key: an object, or a timeout and a mode.
 *
 * @throws {ZkLockConfigError}
 */
function readLockedOptions(given: readonly unknown[]): LockedOptions {
  const [first, mode] = given;
  const asObject = "@Locked(key, { timeoutMs: 500, mode: 'read' })";
  if (given.length > 2) {
    const problem = `must be at most a key, a timeout and a mode; got ${given.length + 1}`;
    throw new ZkLockConfigError(
      'arguments',
      problem,
      `Write ${asObject}, and add any other options there.`,
    );
  }
  const isObject = typeof first === 'object' && first !== null;
  if (isObject && mode !== undefined) {
    const remedy = `Write it there: { mode: ${show(mode)} }.`;
    throw new ZkLockConfigError('mode', 'must be inside the object with the other options', remedy);
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
 * @param given the arguments after the key
 * @throws {LockedDecoratorError} when `@Locked()` is not on an instance method, or has a key or
 * options that cannot work
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
