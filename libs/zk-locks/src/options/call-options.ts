import type { ElectionOptions, WhenLeaderOptions } from '../election/election-options.js';
import type {
  AcquireOptions,
  AcquireUpgradableOptions,
  InspectOptions,
  UpgradeOptions,
} from '../lock.js';
import { readOptions } from './given.js';
import { readChecked } from './table.js';

/*
 * Each refuses what TypeScript would have refused, for callers without it and for values computed at
 * run time, with a ZkLockConfigError.
 */

type Given<T> = T | null | undefined;

const UPGRADE = ['timeoutMs', 'signal'] as const;
const UPGRADABLE = [...UPGRADE, 'label', 'pattern', 'release'] as const;
const ACQUIRE = [...UPGRADABLE, 'mode', 'reentrant'] as const;

export function readAcquireOptions(given: Given<AcquireOptions>): AcquireOptions {
  return readChecked(given, ACQUIRE);
}

/** The values are checked where they become those of a call. */
export function readAcquireUpgradableOptions(
  given: Given<AcquireUpgradableOptions>,
): AcquireUpgradableOptions {
  return readOptions(given, UPGRADABLE);
}

/** As {@link readAcquireUpgradableOptions}. */
export function readUpgradeOptions(given: Given<UpgradeOptions>): UpgradeOptions {
  return readOptions(given, UPGRADE);
}

export function readElectionOptions(given: Given<ElectionOptions>): ElectionOptions {
  return readChecked(given, ['label', 'pattern']);
}

export function readWhenLeaderOptions(given: Given<WhenLeaderOptions>): WhenLeaderOptions {
  return readChecked(given, ['signal']);
}

export function readInspectOptions(given: Given<InspectOptions>): InspectOptions {
  return readChecked(given, ['linearizable', 'limit']);
}
