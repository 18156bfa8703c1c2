import { describe, expect, it } from 'vitest';
import {
  LockAbortedError,
  LockAccessError,
  LockDirectoryError,
  LockHoldTimeoutError,
  LockKeyError,
  LockLostError,
  LockQueueFullError,
  ZkClosedError,
  LockTimeoutError,
  LockUpgradeError,
  NotLeaderError,
  ZkLockConfigError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { ClientGoneError } from './caller-gone.js';
import { lockFailureOf } from './lock-failures.js';

describe('what a remote caller is told', () => {
  it.each<[name: string, error: Error, status: number, code: string]>([
    ['a timeout', new LockTimeoutError('key', 'write', 10), 423, 'LOCK_TIMEOUT'],
    ['no ZooKeeper', new ZooKeeperUnavailableError('zk1:2181'), 503, 'ZK_UNAVAILABLE'],
    ['a loss', new LockLostError('key', 'write', 'lease-expired'), 503, 'LOCK_LOST'],
    ['too long a hold', new LockHoldTimeoutError('key', 'write', 10), 503, 'LOCK_HOLD_TIMEOUT'],
    [
      'too many callers',
      new LockQueueFullError('key', 'write', 'maxWaiting.perKey', 9),
      503,
      'LOCK_QUEUE_FULL',
    ],
    ['another leader', new NotLeaderError('key'), 503, 'NOT_LEADER'],
    ['a shutdown', new ZkClosedError(), 503, 'ZK_CLOSED'],
    [
      'its own leaving',
      new LockAbortedError('key', 'write', new ClientGoneError()),
      499,
      'LOCK_ABORTED',
    ],
  ])('of %s', (_name, error, status, code) => {
    const failure = lockFailureOf(error);
    expect(failure).toMatchObject({ status, code });
    expect(JSON.stringify(failure)).not.toMatch(/key|zk1/);
  });

  it.each([
    [0, 1],
    [100, 1],
    [1_000, 1],
    [1_001, 2],
    [30_000, 30],
  ])('to retry, after a wait of %i ms, in %i s', (timeoutMs, retryAfter) => {
    expect(lockFailureOf(new LockTimeoutError('key', 'write', timeoutMs))).toMatchObject({
      retryAfter,
    });
  });

  it.each([
    new LockKeyError('bad key'),
    new LockUpgradeError('key'),
    new LockAccessError('/locks/key'),
    new LockDirectoryError('/locks/key holds other nodes'),
    new ZkLockConfigError('timeoutMs', 'it is -1', 'Pass another one.'),
    new LockAbortedError('key', 'write', new Error('the application’s own signal')),
  ])('only that something failed, for %s', (error) => {
    expect(lockFailureOf(error)).toEqual({
      status: 500,
      message: 'Internal server error',
    });
  });

  it.each([new Error('LOCK_TIMEOUT'), { code: 'LOCK_TIMEOUT' }, undefined])(
    'nothing of %s',
    (error) => {
      expect(lockFailureOf(error)).toBeUndefined();
    },
  );
});
