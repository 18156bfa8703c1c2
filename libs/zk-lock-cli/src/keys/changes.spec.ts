import { describe, expect, it } from 'vitest';
import type { TreeContender, TreeKey } from 'zk-locks/inspect';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { changesBetween } from './changes.js';

const contender = (node: string): TreeContender => ({
  ...{ node, mode: 'write', isEphemeral: true, fencingToken: BigInt(node), queuedAt: new Date(0) },
  ...{ holder: undefined, session: undefined, text: undefined },
});

/** A key as one look saw it: `h:` before who holds it. */
function keys(...places: readonly string[]): ReadonlyMap<string, TreeKey> {
  const [holders, waiters] = [true, false].map((holds) =>
    places
      .filter((place) => place.startsWith('h:') === holds)
      .map((place) => contender(place.replace('h:', ''))),
  );
  const found = { key: 'a', holders: holders!, waiters: waiters! } as unknown as TreeKey;
  return new Map(places.length === 0 ? [] : [['a', found]]);
}

describe('what has changed', () => {
  it.each([
    { before: [], after: ['h:1', '2'], changes: ['holds 1', 'waits 2'] },
    { before: ['h:1', '2'], after: ['h:2'], changes: ['released 1', 'holds 2'] },
    { before: ['h:1', '2', '3'], after: ['h:1', '3'], changes: ['left 2'] },
    { before: ['h:1', '2'], after: [], changes: ['released 1', 'left 2'] },
    { before: ['h:1'], after: ['h:1'], changes: [] },
  ])('from $before to $after is $changes', ({ before, after, changes }) => {
    const found = changesBetween(keys(...before), keys(...after));
    expect(found.map(({ event, contender: { node } }) => `${event} ${node}`)).toEqual(changes);
  });

  it.each([
    ['an upgrade', 'read', 'write'],
    ['a downgrade', 'write', 'read'],
  ] as const)('after %s, says that its holder holds, and no release', (_, mode, next) => {
    const [before, after] = [mode, next].map((mode) => {
      const holder = treeContender({ node: mode, session: 's', fencingToken: 7n, mode });
      return new Map([['k', treeKey({ holders: [holder] })]]);
    });
    const found = changesBetween(before!, after!);
    expect(found).toMatchObject([{ event: 'holds', contender: { mode: next } }]);
  });

  it('tells holders apart whose nodes have the same name, as in the dialect single-node', () => {
    const [a, b] = ['a', 'b'].map((session, index) =>
      treeContender({ node: 'lock', session, fencingToken: BigInt(index) }),
    );
    const [before, after] = [a!, b!].map(
      (holder) => new Map([['k', treeKey({ holders: [holder] })]]),
    );
    const found = changesBetween(before!, after!);
    expect(found.map(({ event, contender: { session } }) => `${event} ${session}`)).toEqual([
      'released a',
      'holds b',
    ]);
  });
});
