import type { ReleaseMode } from '../lock/lock.js';

/** Options of a semaphore, the same in all processes that use its key. */
export interface SemaphoreOptions {
  /**
   * A fixed number from 1 to 8,000, or a shared count, which can change while the semaphore is in use.
   * A call with another fixed number than other processes have is refused.
   */
  permits: number | SharedCount;
  /**
   * The name of all keys of this kind in metrics and traces, as {@link AcquireOptions.pattern}, for calls
   * without `pattern`. With it, the key may have `${…}` and `{0}`.
   */
  pattern?: string | undefined;
}

/** A number of permits in a znode, in the format of Curator's `SharedCount`. */
export interface SharedCount {
  /** The path of the znode, below the chroot of the connect string, not below the module's `root`. */
  sharedCount: string;
  /** The number to write if the znode does not exist; 0 or more. */
  seed: number;
}

export interface PermitOptions {
  /**
   * How many to take together, all or none. At most 8,000; each permit is a znode.
   * @default 1
   */
  take?: number;
  /**
   * The longest wait, in milliseconds: for a connection, the queue, and free permits. `0` tries once.
   * `Infinity` waits until `signal` aborts or the service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number;
  /**
   * What the permits are for, shown to people who look at the semaphore. At most 200 characters, stored in
   * clear text: no secrets.
   */
  label?: string;
  /** The name of all keys of this kind in metrics and traces, as {@link AcquireOptions.pattern}. */
  pattern?: string;
  /** Stops waiting when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal;
  /**
   * Whether the release waits for ZooKeeper's answer, as {@link AcquireOptions.release}.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode;
}

export type TryPermitOptions = Omit<PermitOptions, 'timeoutMs'>;

/** Where the number of permits comes from. */
export type PermitCount =
  | { readonly kind: 'fixed'; readonly permits: number }
  | {
      readonly kind: 'shared';
      /** With the chroot. */
      readonly path: string;
      readonly seed: number;
    };
