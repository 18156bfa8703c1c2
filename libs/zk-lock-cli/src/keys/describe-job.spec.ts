import { expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { outcomeOf } from './describe-job.js';

it.each([
  { title: 'its lock has no holder', key: {}, outcome: 'died' },
  { title: 'its lock is held', key: { holders: [treeContender()] }, outcome: 'running' },
  { title: 'an ACL hides the holders', key: { isHidden: true }, outcome: 'running' },
  { title: 'the holders were not read', key: { unread: 5_000 }, outcome: 'running' },
])('a job without an outcome is $outcome if $title', ({ key, outcome }) => {
  const lastRun = { outcome: 'running' } as Parameters<typeof outcomeOf>[0];
  expect(outcomeOf(lastRun, treeKey(key))).toBe(outcome);
});
