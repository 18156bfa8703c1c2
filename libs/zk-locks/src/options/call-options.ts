import type { ElectionOptions, WhenLeaderOptions } from './election-options.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  BreakOptions,
  InspectOptions,
  LockMode,
  UpgradeOptions,
} from '../lock/lock.js';
import type { Dialect, DialectName } from '../nodes/dialect.js';
import type { PermitCount } from './permit-options.js';
import type { PermitOptions, SemaphoreOptions } from './permit-options.js';
import { MAX_PERMITS } from './limits.js';
import {
  checkValue,
  isArray,
  isObject,
  later,
  MAX_COUNT,
  type Option,
  outsideOfLocks,
  readChecked,
  readOptions,
  readProperty,
  type Schema,
} from 'zk-client/recipes';
import { checkOption, CONNECTION_HINTS, optionsOf, permitsFrom } from './table.js';

type Given<T> = T | null | undefined;

interface StartOptions {
  readonly wait?: boolean;
}

const WAITING = optionsOf('timeoutMs', 'label', 'pattern', 'signal', 'release');
type WaitingOptions = Pick<AcquireOptions, keyof typeof WAITING>;
const ACQUIRE = { ...WAITING, ...optionsOf('mode', 'reentrant') };
const PERMIT = { ...WAITING, take: later };
const BREAK = optionsOf('node', 'token', 'foreign');

/** Reads options whose values can be checked one by one. */
const reader =
  <T extends object>(schema: Schema<T>, reading?: typeof CONNECTION_HINTS) =>
  (given: Given<T>): T =>
    readChecked(given, schema, reading);

/** The mode is not among them: a job has the write lock. */
export const readRunOptions = reader<WaitingOptions>(WAITING, CONNECTION_HINTS);
export const readElectionOptions = reader<ElectionOptions>(
  optionsOf('label', 'pattern'),
  CONNECTION_HINTS,
);
export const readWhenLeaderOptions = reader<WhenLeaderOptions>(optionsOf('signal'));
export const readInspectOptions = reader<InspectOptions>(optionsOf('linearizable', 'limit'));
export const readStartOptions = reader<StartOptions>(optionsOf('wait'), CONNECTION_HINTS);
export const readCloseOptions = reader<{ readonly graceMs?: number | undefined }>(
  optionsOf('graceMs'),
);
export const readSemaphoreOptions = reader<SemaphoreOptions>(
  optionsOf('permits', 'pattern'),
  CONNECTION_HINTS,
);

export function readAcquireOptions(given: Given<AcquireOptions>, dialect: Dialect): AcquireOptions {
  const options = readChecked(given, ACQUIRE, CONNECTION_HINTS);
  if (!dialect.hasReaders) checkValue('mode', options.mode, writeAlone(dialect.name));
  return options;
}

const writeAlone = (dialect: DialectName): Option => ({
  expected: `'write' with the dialect '${dialect}', which has no read locks`,
  accepts: (mode) => mode !== 'read',
  remedy: "Use 'write', or the dialect 'curator-rw' or 'kazoo' in all processes.",
});

/** The values are checked when the options of the call are built from them. */
export function readAcquireUpgradableOptions(
  given: Given<AcquireUpgradableOptions>,
  { name, canUpgrade }: Dialect,
): AcquireUpgradableOptions {
  checkValue('dialect', name, {
    expected: "'curator-rw' for upgradable locks",
    accepts: () => canUpgrade,
    remedy: 'Use it in all processes, or take the write lock from the start.',
  });
  return readOptions(given, Object.keys(WAITING), CONNECTION_HINTS);
}

/** Like {@link readAcquireUpgradableOptions}. */
export function readUpgradeOptions(given: Given<UpgradeOptions>): UpgradeOptions {
  return readOptions(given, ['timeoutMs', 'signal'], CONNECTION_HINTS);
}

export function readBreakOptions(given: Given<BreakOptions>): BreakOptions {
  const options = readChecked<BreakOptions>(given, BREAK);
  checkOption('node', options.node);
  checkOption('token', options.token);
  return options;
}

/** One key of several that are taken together, in its own mode or in the call's. */
export type LockTarget = string | { readonly key: string; readonly mode?: LockMode | undefined };

type Target = Exclude<LockTarget, string>;

const target: Option = {
  expected: 'strings or { key, mode }',
  accepts: (value) => typeof value === 'string' || isObject(value),
  remedy: 'Pass strings, or objects { key, mode }.',
};

/** The keys to be locked; their modes are checked when the options of the call are built. */
export function readTargets(keys: unknown): readonly Target[] {
  const length = isArray(keys) ? Number(readProperty(keys, 'length')) : 0;
  checkValue('keys', keys, {
    expected: 'an array of at least one key',
    accepts: () => length > 0,
    remedy: target.remedy,
  });
  const targets: Target[] = [];
  // A loop, because map() skips holes of an array.
  for (let index = 0; index < length; index++) {
    const given = readProperty(keys as object, String(index));
    checkValue('keys', given, target);
    const prefix = `keys[${index}].`;
    targets.push(
      typeof given === 'string'
        ? { key: given }
        : readOptions(given as Target, ['key', 'mode'], { prefix }),
    );
  }
  return targets;
}

/**
 * How many permits there are.
 *
 * @param chroot prepended to the path of a shared count
 * @param root where keys have their directories, with the chroot, if that is known
 * @throws {ZkLockConfigError}
 */
export function resolvePermitCount(
  permits: SemaphoreOptions['permits'],
  chroot: string,
  root?: string,
): PermitCount {
  checkOption('permits', permits);
  if (typeof permits === 'number') return { kind: 'fixed', permits };
  const { sharedCount, seed } = readOptions(permits, ['sharedCount', 'seed']);
  checkOption('sharedCount', sharedCount);
  checkOption('seed', seed);
  const path = chroot + sharedCount;
  checkValue('sharedCount', sharedCount, outsideOfLocks(path, root));
  return { kind: 'shared', path, seed };
}

/**
 * The options of a call, with the number of permits it takes.
 *
 * @throws {ZkLockConfigError}
 */
export function readPermitOptions(
  given: Given<PermitOptions>,
  count: PermitCount,
): PermitOptions & { take: number } {
  const options = readChecked(given, PERMIT, CONNECTION_HINTS);
  return { ...options, take: checkTake(options.take ?? 1, count) };
}

/**
 * Checks that a call can take this many permits together.
 *
 * @param count how many permits there are, if that is known
 * @throws {ZkLockConfigError}
 */
export function checkTake(take: unknown, count: PermitCount | undefined): number {
  const most = count?.kind === 'fixed' ? count.permits : MAX_PERMITS;
  checkValue('take', take, permitsFrom(1, most));
  return take as number;
}

/**
 * Checks that a count can be set to this many permits.
 *
 * @throws {ZkLockConfigError}
 */
export function checkNewCount(
  permits: unknown,
  count: PermitCount,
): asserts count is Extract<PermitCount, { kind: 'shared' }> {
  const fixed = count.kind === 'fixed' ? count.permits : undefined;
  checkValue('permits', permits, {
    expected: `left unchanged, because they are fixed at ${String(fixed)}`,
    accepts: () => fixed === undefined,
    remedy: 'Open the semaphore with { sharedCount, seed } to change the number at run time.',
  });
  checkValue('permits', permits, permitsFrom(0, MAX_COUNT));
}
