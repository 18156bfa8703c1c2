import { expect, it } from 'vitest';
import { LockLostError } from 'zk-locks';
import { whyLost } from './why-lost.js';

it('says who broke a lock', () => {
  const brokenBy = { host: 'ops-1', pid: 7, application: 'zk-lock', at: '' };
  expect(whyLost(new LockLostError('a', 'write', 'broken', { brokenBy }))).toBe(
    'it was broken by zk-lock on ops-1 (pid 7)',
  );
});

it('says why a lock was lost without the words of the library', () => {
  expect(whyLost(new LockLostError('a', 'write', 'margin-reached'))).toBe(
    'ZooKeeper has not answered in time',
  );
});
