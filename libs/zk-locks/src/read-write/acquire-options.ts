import { ZkLockConfigError } from '../zk-lock-error.js';
import { readOptions, show } from '../given-options.js';
import type { AcquireOptions, AcquireUpgradableOptions, UpgradeOptions } from '../lock.js';
import { checkWaitOptions } from '../queue/wait-options.js';

type Given<T> = T | null | undefined;

const UPGRADE = ['timeoutMs', 'signal'];
const UPGRADABLE = [...UPGRADE, 'label', 'pattern', 'release'];
const KNOWN = [...UPGRADABLE, 'mode', 'reentrant'];
const MODES: readonly unknown[] = ['read', 'write'];

/**
 * Reads the options of a call, and refuses what TypeScript would have refused, for callers without
 * it and for values computed at run time.
 *
 * @throws {ZkLockConfigError}
 */
export function readAcquireOptions(given: Given<AcquireOptions>): AcquireOptions {
  const options = readOptions(given, KNOWN);
  const { mode, reentrant } = options;
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ZkLockConfigError('mode', `${show(mode)} is no mode`, "Use 'read' or 'write'.");
  }
  checkWaitOptions(options);
  if (reentrant !== undefined && typeof reentrant !== 'boolean') {
    throw new ZkLockConfigError(
      'reentrant',
      `${show(reentrant)} is no boolean`,
      'Write true or false.',
    );
  }
  return options;
}

/** @throws {ZkLockConfigError} where it has options that make no sense here; their values are not checked */
export function readAcquireUpgradableOptions(
  given: Given<AcquireUpgradableOptions>,
): AcquireUpgradableOptions {
  return readOptions(given, UPGRADABLE);
}

/** @throws {ZkLockConfigError} as {@link readAcquireUpgradableOptions} */
export function readUpgradeOptions(given: Given<UpgradeOptions>): UpgradeOptions {
  return readOptions(given, UPGRADE);
}
