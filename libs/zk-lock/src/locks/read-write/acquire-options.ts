import { inspect } from 'node:util';
import { ZkLockConfigError } from '../../zk-lock-error.js';
import type { AcquireOptions, AcquireUpgradableOptions, UpgradeOptions } from '../lock.js';
import { checkOptionNames, checkWaitOptions } from '../queue/wait-options.js';

const UPGRADE = ['timeoutMs', 'signal'];
const UPGRADABLE = [...UPGRADE, 'label'];
const KNOWN = [...UPGRADABLE, 'mode', 'reentrant'];
const MODES: readonly string[] = ['read', 'write'];

/**
 * Refuses what TypeScript would have refused, for callers without it and for values computed at
 * run time.
 *
 * @throws {ZkLockConfigError}
 */
export function checkAcquireOptions(options: AcquireOptions): void {
  checkOptionNames(options, KNOWN);
  const { mode, reentrant } = options;
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ZkLockConfigError('mode', `"${mode}" is no mode`, "Use 'read' or 'write'.");
  }
  checkWaitOptions(options);
  if (reentrant !== undefined && typeof reentrant !== 'boolean') {
    throw new ZkLockConfigError(
      'reentrant',
      `${inspect(reentrant)} is no boolean`,
      'Write true or false.',
    );
  }
}

/** @throws {ZkLockConfigError} where it has options that make no sense here; their values are not checked */
export function checkAcquireUpgradableOptions(options: AcquireUpgradableOptions): void {
  checkOptionNames(options, UPGRADABLE);
}

/** @throws {ZkLockConfigError} as {@link checkAcquireUpgradableOptions} */
export function checkUpgradeOptions(options: UpgradeOptions): void {
  checkOptionNames(options, UPGRADE);
}
