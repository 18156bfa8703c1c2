import { expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { inSlices, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { keyGroups } from './key-groups.js';

const one = (at: number, election?: true): TreeContender =>
  treeContender({
    queuedAt: new Date(at),
    holder: { host: 'h1', pid: 7, since: '', ...(election && { election }) },
  });

const keyOf = (key: string, election?: true): TreeKey =>
  treeKey({ key, holders: [one(1, election)], waiters: [one(2, election)] });

it('counts no candidate of an election as the longest wait of a group', async () => {
  const keys = [keyOf('job:lock'), keyOf('leader:a', true)];
  const question = { filter: '', busyOnly: false, offset: 0, prefix: '' };
  const { rows } = await inSlices(keyGroups(new Map(keys.map((key) => [key.key, key])), question));
  expect(rows.map(({ prefix, waitingSince }) => [prefix, waitingSince])).toEqual([
    ['job:', 2],
    ['leader:', undefined],
  ]);
});
