import type { ReleaseMode } from '../lock/lock.js';

/** Options of a semaphore. All processes that use its key must pass the same ones. */
export interface SemaphoreOptions {
  /**
   * A fixed number from 1 to 8,000, or a shared count, which can change while the semaphore is in
   * use. A call whose fixed number differs from that of other processes is refused.
   */
  permits: number | SharedCount;
  /**
   * The common name of all keys of this kind in metrics and traces, like
   * {@link AcquireOptions.pattern}, for calls without `pattern`. With it, the key may contain
   * `${…}` and `{0}`.
   */
  pattern?: string | undefined;
}

/** A number of permits stored in a znode, in the format of Curator's `SharedCount`. */
export interface SharedCount {
  /**
   * The path of the znode, relative to the chroot of the connect string, not to the module's
   * `root`.
   */
  sharedCount: string;
  /** The number to write if the znode does not exist; 0 or more. */
  seed: number;
}

export interface PermitOptions {
  /**
   * How many permits to take together, all or none. At most 8,000; each permit is a znode.
   * @default 1
   */
  take?: number | undefined;
  /**
   * The longest wait, in milliseconds: for a connection, the queue, and free permits. `0` tries once.
   * `Infinity` waits until `signal` aborts or the service closes.
   * @default the module's `acquireTimeoutMs` (30,000 ms)
   */
  timeoutMs?: number | undefined;
  /**
   * What the permits are for, shown to people who inspect the semaphore. At most 200 characters,
   * stored in clear text, so it must not contain secrets.
   */
  label?: string | undefined;
  /**
   * The common name of all keys of this kind in metrics and traces, like
   * {@link AcquireOptions.pattern}.
   */
  pattern?: string | undefined;
  /** Stops the wait when it aborts; the call then rejects with a {@link LockAbortedError}. */
  signal?: AbortSignal | undefined;
  /**
   * Whether the release waits for ZooKeeper's answer, like {@link AcquireOptions.release}.
   * @default the module's `release` (`'wait'`)
   */
  release?: ReleaseMode | undefined;
}

export type TryPermitOptions = Omit<PermitOptions, 'timeoutMs'>;

/** The source of the number of permits. */
export type PermitCount =
  | { readonly kind: 'fixed'; readonly permits: number }
  | {
      readonly kind: 'shared';
      /** Includes the chroot. */
      readonly path: string;
      readonly seed: number;
    };
