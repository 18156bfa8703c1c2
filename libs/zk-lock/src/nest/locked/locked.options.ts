import type { LockMode, ReleaseMode } from '../../locks/lock.js';
import {
  checkConnectionOption,
  checkReleaseOption,
  checkTimeoutOption,
} from '../guarded/guarded.options.js';

/**
 * What `@Locked()` takes besides the key.
 *
 * @publicApi
 */
export interface LockedOptions<Args extends unknown[] = unknown[]> {
  /**
   * `read` lets other readers in, `write` nobody.
   * @default 'write'
   */
  mode?: LockMode;
  /**
   * The longest wait in milliseconds, or a function of the method's arguments that gives it. `0`
   * tries once.
   * @default the module's `acquireTimeoutMs`, also when the function returns `undefined`
   */
  timeoutMs?: number | ((...args: Args) => number | undefined);
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

export const LOCKED_CHECKS: Record<keyof LockedOptions, (value: unknown) => string | undefined> = {
  mode: (value) =>
    value === 'read' || value === 'write' ? undefined : "is neither 'read' nor 'write'",
  timeoutMs: checkTimeoutOption,
  reentrant: (value) => (typeof value === 'boolean' ? undefined : 'is neither true nor false'),
  release: checkReleaseOption,
  connection: checkConnectionOption,
};
