import { checkPath } from '../client/node-path.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { readOptions, show } from '../given-options.js';
import { checkWaitOptions } from '../queue/wait-options.js';
import type { PermitCount } from './permit-count.js';
import type { PermitOptions, SemaphoreOptions } from './semaphore.js';

/**
 * The most permits of a fixed number, and of one call. With as many leases again, those of the call
 * whose turn it is, their list stays below the 1 MiB that ZooKeeper sends.
 */
const MAX_PERMITS = 8_000;

/** The largest number that a shared count can hold. */
const MAX_COUNT = 0x7fff_ffff;

/** @throws {ZkLockConfigError} */
export function readSemaphoreOptions(given: SemaphoreOptions): SemaphoreOptions {
  if (!isRecord(given)) {
    throw new ZkLockConfigError('permits', 'it is missing', 'Pass { permits }.');
  }
  const options = readOptions(given, ['permits', 'pattern']);
  checkWaitOptions({ pattern: options.pattern });
  return options;
}

/**
 * Refuses what TypeScript would have refused.
 *
 * @param chroot what the path of a shared count is put below
 * @param root with the chroot, where keys have their directories, if that is known
 * @throws {ZkLockConfigError}
 */
export function resolvePermitCount(
  { permits }: Pick<SemaphoreOptions, 'permits'>,
  chroot: string,
  root?: string,
): PermitCount {
  if (!isRecord(permits)) {
    checkNumber('permits', permits, 1, MAX_PERMITS);
    return { kind: 'fixed', permits };
  }
  const { sharedCount, seed } = readOptions(permits, ['sharedCount', 'seed']);
  checkNumber('seed', seed, 0, MAX_COUNT);
  const path = chroot + checkCountPath(sharedCount);
  if (root !== undefined && (path === root || path.startsWith(`${root}/`))) {
    throw new ZkLockConfigError(
      'sharedCount',
      `"${sharedCount}" lies among the keys of locks`,
      'Use a path outside of the `root` option.',
    );
  }
  return { kind: 'shared', path, seed };
}

/**
 * The options of a call, with how many permits it wants.
 *
 * @throws {ZkLockConfigError}
 */
export function readPermitOptions(
  given: PermitOptions | null | undefined,
  count: PermitCount,
): PermitOptions & { permits: number } {
  const options = readOptions(given, [
    'permits',
    'timeoutMs',
    'label',
    'pattern',
    'signal',
    'release',
  ]);
  checkWaitOptions(options);
  return { ...options, permits: checkWanted('permits', options.permits ?? 1, count) };
}

/**
 * Whether so many can be taken together.
 *
 * @param option who asks for them
 * @param count how many there are, where that is known
 * @throws {ZkLockConfigError}
 */
export function checkWanted(
  option: string,
  permits: unknown,
  count: PermitCount | undefined,
): number {
  checkNumber(option, permits, 1, count?.kind === 'fixed' ? count.permits : MAX_PERMITS);
  return permits;
}

/** @throws {ZkLockConfigError} */
export function checkNewCount(permits: unknown): void {
  checkNumber('permits', permits, 0, MAX_COUNT);
}

function isRecord<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null;
}

function checkNumber(
  option: string,
  value: unknown,
  from: number,
  to: number,
): asserts value is number {
  if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) return;
  throw new ZkLockConfigError(
    option,
    `${show(value)} is no number of permits here`,
    `Use a whole number from ${from} to ${to}.`,
  );
}

function checkCountPath(path: unknown): string {
  const remedy = 'Use an absolute path such as "/counts/gpu".';
  if (typeof path !== 'string') {
    throw new ZkLockConfigError('sharedCount', 'it is no string', remedy);
  }
  const problem = path === '/' ? '"/" has no name' : checkPath(path);
  if (problem) throw new ZkLockConfigError('sharedCount', problem, remedy);
  if (/^\/zookeeper(\/|$)/.test(path)) {
    throw new ZkLockConfigError('sharedCount', '"/zookeeper" belongs to ZooKeeper itself', remedy);
  }
  return path;
}
