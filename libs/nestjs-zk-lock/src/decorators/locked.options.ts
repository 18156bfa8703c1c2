import { type LockMode, type ReleaseMode, ZkLockConfigError } from 'zk-locks';
import { CONNECTION_HINTS, functionsOf, optionsOf, readChecked, show } from 'zk-locks/framework';
import type { OnBusy } from './definition.js';

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
  timeoutMs?: number | ((...args: TimeoutArgs) => number | undefined) | undefined;
  /**
   * What happens to a call whose lock is still busy after `timeoutMs`. `throw` rejects with a
   * `LockTimeoutError`. `skip` resolves to `undefined` without running the method, so the method's
   * type must allow that. An Observable completes without a value, except that a handler of HTTP (not
   * SSE), GraphQL, an event, Kafka or unary gRPC emits `undefined`. A function of the method's
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
  minHoldMs?: number | ((...args: MinHoldArgs) => number | undefined) | undefined;
  /**
   * After how many milliseconds the lock's `signal` aborts with a `LockHoldTimeoutError`, or a
   * function of the method's arguments that returns it. The lock is still held until the method has
   * settled. If the method throws that error, or one whose `cause` it is, the call rejects with it. An
   * Observable is unsubscribed from immediately.
   * @default none, also when the function returns `undefined`
   */
  maxHoldMs?: number | ((...args: MaxHoldArgs) => number | undefined) | undefined;
  /**
   * Runs the method at most once in this many milliseconds across all replicas, for `@Cron()` jobs.
   * The time is measured by the clock of ZooKeeper's leader, whatever the replicas' clocks show,
   * and a run counts even if its process dies; see `LockService.runAtMostEvery`. You can pass the
   * interval between two firings; a run may start up to 10% early. A call that is not due resolves
   * to `undefined`, so the method's type must allow that, or to the result of the function
   * `onBusy`. Other calls wait for the lock, as without `onBusy`. Requires a single fixed key, mode
   * `write` and the client `wire`. `LockService.lastRun` returns who ran it, when, and with what
   * outcome.
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
export function readLockedOptions(given: readonly unknown[]): LockedOptions {
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
