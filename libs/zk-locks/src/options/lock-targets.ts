import type { LockMode } from '../lock.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import { isArray, readOptions, readProperty, show } from './option.js';

/** One key of several that are taken together, in a mode of its own or in the call's. */
export type LockTarget = string | { readonly key: string; readonly mode?: LockMode | undefined };

type Target = Exclude<LockTarget, string>;

/**
 * Reads what is to be locked, and refuses what TypeScript would have refused.
 *
 * @throws {ZkLockConfigError}
 */
export function readTargets(keys: unknown): readonly Target[] {
  const length = isArray(keys) ? Number(readProperty(keys, 'length')) : 0;
  if (!isArray(keys) || !(length > 0)) {
    throw new ZkLockConfigError(
      'keys',
      'must name at least one key',
      'Pass an array of at least one key.',
    );
  }
  const targets: Target[] = [];
  // Not by map(), which passes over holes.
  for (let index = 0; index < length; index++) {
    targets.push(readTarget(readProperty(keys, String(index))));
  }
  return targets;
}

function readTarget(target: unknown): Target {
  if (typeof target === 'string') return { key: target };
  const use = 'Use texts, or objects { key, mode }.';
  if (typeof target !== 'object' || target === null || isArray(target)) {
    throw new ZkLockConfigError(
      'keys',
      `must be strings or { key, mode }; got ${show(target)}`,
      use,
    );
  }
  const { key, mode, ...more } = readOptions(target as Partial<Target>);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) {
    throw new ZkLockConfigError('keys', `has a key with an unknown option, \`${unknown}\``, use);
  }
  if (key === undefined)
    throw new ZkLockConfigError(
      'keys',
      `must be strings or { key, mode }; got ${show(target)}`,
      use,
    );
  return { key, mode };
}
