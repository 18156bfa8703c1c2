import type { ReleaseMode, SemaphoreOptions } from 'zk-locks';
import type { DecoratorOptionKinds } from '../guarded/guarded.options.js';
import type { OnBusy } from '../guarded/on-busy.js';

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

/** `permits` and `take` are checked with the semaphore. */
export const WITH_PERMIT_OPTIONS: DecoratorOptionKinds<WithPermitOptions> = {
  permits: 'unchecked',
  take: 'unchecked',
  timeoutMs: 'orFunction',
  onBusy: 'value',
  release: 'value',
  connection: 'value',
};
