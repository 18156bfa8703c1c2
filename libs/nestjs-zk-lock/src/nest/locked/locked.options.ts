import type { LockMode, ReleaseMode } from 'zk-locks';
import type { DecoratorOptionKinds } from '../guarded/guarded.options.js';
import type { OnBusy } from '../guarded/on-busy.js';

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
   * `read` lets other readers in, `write` nobody.
   * @default 'write'
   */
  mode?: LockMode;
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that gives it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, or 0 where `onBusy` is something else than `throw`; also
   * when the function returns `undefined`
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

export const LOCKED_OPTIONS: DecoratorOptionKinds<LockedOptions> = {
  mode: 'value',
  timeoutMs: 'orFunction',
  onBusy: 'value',
  minHoldMs: 'orFunction',
  maxHoldMs: 'orFunction',
  reentrant: 'value',
  release: 'value',
  connection: 'value',
};
