import { ZkLockConfigError } from '../zk-lock-error.js';

/** The refusal of what npm `zookeeper` has not. */
export function nativeCannot(what: string): ZkLockConfigError {
  return new ZkLockConfigError(
    'client',
    `is native, which has no ${what}`,
    "Use { client: 'wire' }, the default.",
  );
}
