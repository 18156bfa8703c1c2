import { ZkLockError } from 'zk-locks';

/**
 * `nestjs-zk-lock/testing` was used in a way that cannot work; the message says how to correct it.
 *
 * @publicApi
 */
export class LockTestingError extends ZkLockError {
  static readonly code = 'ZK_LOCK_TESTING';
  readonly code = LockTestingError.code;
}
