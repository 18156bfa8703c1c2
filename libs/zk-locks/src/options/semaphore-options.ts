import { checkPath } from '../client/node-path.js';
import type { PermitCount } from '../semaphore/permit-count.js';
import type { PermitOptions, SemaphoreOptions } from '../semaphore/semaphore.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { readOptions, show, checkValue } from './option.js';
import { MAX_COUNT, MAX_PERMITS } from './limits.js';
import { checkOption, permitsFrom } from './table.js';

const CALL = ['permits', 'timeoutMs', 'label', 'pattern', 'signal', 'release'] as const;

/** @throws {ZkLockConfigError} */
export function readSemaphoreOptions(given: SemaphoreOptions): SemaphoreOptions {
  if (!isRecord(given)) {
    throw new ZkLockConfigError('permits', 'is missing', 'Pass { permits }.');
  }
  const options = readOptions(given, ['permits', 'pattern']);
  if (options.pattern !== undefined) checkOption('pattern', options.pattern);
  return options;
}

/**
 * How many permits there are.
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
    checkValue('permits', permits, permitsFrom(1));
    return { kind: 'fixed', permits };
  }
  const { sharedCount, seed } = readOptions(permits, ['sharedCount', 'seed']);
  checkOption('seed', seed);
  const path = chroot + checkOwnPath('sharedCount', sharedCount, '/counts/gpu');
  if (root !== undefined && (path === root || path.startsWith(`${root}/`))) {
    throw new ZkLockConfigError(
      'sharedCount',
      `must not lie among the keys of locks; got ${show(sharedCount)}`,
      'Pass a path outside of the `root` option.',
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
  const { permits, ...options } = readOptions(given, CALL);
  for (const name of CALL) {
    if (name === 'permits') continue;
    if (options[name] !== undefined) checkOption(name, options[name]);
  }
  return { ...options, permits: checkWanted('permits', permits ?? 1, count) };
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
  wanted: unknown,
  count: PermitCount | undefined,
): number {
  const most = count?.kind === 'fixed' ? count.permits : MAX_PERMITS;
  checkValue(option, wanted, permitsFrom(1, most));
  return wanted as number;
}

/** @throws {ZkLockConfigError} */
export function checkNewCount(permits: unknown): void {
  checkValue('permits', permits, permitsFrom(0, MAX_COUNT));
}

/**
 * A path of ours in the tree of ZooKeeper.
 *
 * @throws {ZkLockConfigError}
 */
export function checkOwnPath(option: string, path: unknown, example: string): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path as string;
  throw new ZkLockConfigError(
    option,
    `must be an absolute path of its own; ${problem}`,
    `Pass for example "${example}".`,
  );
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string') return `got ${show(path)}`;
  if (path === '/') return '"/" is the root of the tree';
  if (/^\/zookeeper(\/|$)/.test(path)) return '"/zookeeper" belongs to ZooKeeper itself';
  return checkPath(path);
}

function isRecord<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null;
}
