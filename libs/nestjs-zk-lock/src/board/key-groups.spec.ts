import { expect, it } from 'vitest';
import { inSlices, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { keyGroups } from './key-groups.js';

const one = (at: number, election?: true): TreeContender => ({
  ...{ mode: 'write', node: `n-${at}`, isEphemeral: true, session: 's', text: undefined },
  ...{ fencingToken: BigInt(at), queuedAt: new Date(at) },
  holder: { host: 'h1', pid: 7, label: undefined, since: '', ...(election && { election }) },
});

const keyOf = (key: string, election?: true): TreeKey => ({
  ...{ key, path: `/locks/${key}`, kind: 'lock', total: 2, lastSequence: 1, permits: undefined },
  ...{ dialects: ['curator-rw'], strangers: [], strangerCount: 0, isHidden: false, unread: 0 },
  ...{ holders: [one(1, election)], waiters: [one(2, election)], lastRun: undefined },
});

it('counts no candidate of an election as the longest wait of a group', async () => {
  const keys = [keyOf('job:lock'), keyOf('leader:a', true)];
  const question = { filter: '', busyOnly: false, offset: 0, prefix: '' };
  const { rows } = await inSlices(keyGroups(new Map(keys.map((key) => [key.key, key])), question));
  expect(rows.map(({ prefix, waitingSince }) => [prefix, waitingSince])).toEqual([
    ['job:', 2],
    ['leader:', undefined],
  ]);
});
