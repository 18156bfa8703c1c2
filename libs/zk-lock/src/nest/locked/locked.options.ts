import type { LockMode } from '../../locks/lock.js';

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
   * The `name` of the `ZkLockModule` whose ZooKeeper keeps the lock.
   * @default the connection without a name
   */
  connection?: string;
}

const CHECKS: Record<keyof LockedOptions, (value: unknown) => string | undefined> = {
  mode: (value) =>
    value === 'read' || value === 'write' ? undefined : "is neither 'read' nor 'write'",
  timeoutMs: (value) =>
    typeof value === 'function' || (typeof value === 'number' && value >= 0)
      ? undefined
      : 'is not a time in milliseconds, 0 or more',
  reentrant: (value) => (typeof value === 'boolean' ? undefined : 'is neither true nor false'),
  connection: (value) =>
    typeof value === 'string' && value !== '' ? undefined : 'is not the name of a connection',
};

/** What is wrong with the options, as a clause; nothing when they can be used. */
export function findOptionsProblem(options: unknown): string | undefined {
  if (typeof options !== 'object' || options === null) return 'its options are not an object.';
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      return `it has no option \`${name}\`. Use ${Object.keys(CHECKS).join(', ')}.`;
    }
    const problem = value === undefined ? undefined : CHECKS[name as keyof LockedOptions](value);
    if (problem) return `its option \`${name}\` ${problem}.`;
  }
  return undefined;
}
