import { inspect } from 'node:util';
import { ZkLockConfigError } from '../../zk-lock-error.js';
import { MAX_LABEL_LENGTH } from '../queue/holder-data.js';
import type { AcquireOptions, AcquireUpgradableOptions, UpgradeOptions } from '../lock.js';

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
  refuseOthers(options, KNOWN);
  const { mode, timeoutMs, label, signal, reentrant } = options;
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new ZkLockConfigError('mode', `"${mode}" is no mode`, "Use 'read' or 'write'.");
  }
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (label !== undefined) checkLabel('label', label);
  if (reentrant !== undefined && typeof reentrant !== 'boolean') {
    throw new ZkLockConfigError(
      'reentrant',
      `${inspect(reentrant)} is no boolean`,
      'Write true or false.',
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ZkLockConfigError('signal', 'it is no AbortSignal', 'Pass `controller.signal`.');
  }
}

/** @throws {ZkLockConfigError} where it has options that make no sense here; their values are not checked */
export function checkAcquireUpgradableOptions(options: AcquireUpgradableOptions): void {
  refuseOthers(options, UPGRADABLE);
}

/** @throws {ZkLockConfigError} as {@link checkAcquireUpgradableOptions} */
export function checkUpgradeOptions(options: UpgradeOptions): void {
  refuseOthers(options, UPGRADE);
}

function refuseOthers(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ZkLockConfigError(unknown, 'there is no such option', `Use ${known.join(', ')}.`);
}

/** @throws {ZkLockConfigError} */
export function checkLabel(option: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LABEL_LENGTH) {
    throw new ZkLockConfigError(
      option,
      `${inspect(value).slice(0, 40)} cannot be shown as one`,
      `Use a text of 1 to ${MAX_LABEL_LENGTH} characters.`,
    );
  }
}

/** @throws {ZkLockConfigError} */
export function checkTimeout(option: string, value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
    throw new ZkLockConfigError(
      option,
      `${inspect(value)} is no waiting time`,
      'Use milliseconds from 0 on, or Infinity to wait without limit.',
    );
  }
}
