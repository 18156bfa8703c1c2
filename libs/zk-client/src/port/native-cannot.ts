import { ZkLockConfigError } from '../zk-lock-error.js';

/** The refusal of a feature that npm `zookeeper` does not have. */
export function nativeCannot(what: string): ZkLockConfigError {
  return new ZkLockConfigError(
    'client',
    `is native, which does not support ${what}`,
    "With `connect()`, omit `connector`; otherwise use `client: 'wire'`, the default.",
  );
}
