import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ACL } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';
import { DataTree } from './data-tree.js';
import { type NodeOwner, UNOWNED } from './node-owner.js';
import { Transaction } from './transaction.js';
import { statOf } from './znode.js';

const acl: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const closed: readonly ACL[] = [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }];

let tree: DataTree;
let zxid: bigint;

const begin = (): Transaction => new Transaction(++zxid, Number(zxid) * 1_000);
const create = (path: string, owner: NodeOwner = UNOWNED, transaction = begin()) =>
  tree.create(transaction, { path, data: Buffer.from('abc'), acl, owner });

/** All that a tree knows. */
function everything(): unknown {
  const walk = (path: string): unknown[] => {
    const node = tree.get(path);
    const prefix = path === '/' ? '' : path;
    return [
      { ...node, children: [...node.children].sort() },
      ...[...node.children].sort().flatMap((name) => walk(`${prefix}/${name}`)),
    ];
  };
  return {
    nodes: walk('/'),
    size: tree.size,
    bytes: tree.dataBytes,
    ephemerals: [...tree.ephemerals()].map(([id, paths]) => [id, [...paths].sort()]).sort(),
    mortals: tree
      .mortals()
      .map(({ path }) => path)
      .sort(),
  };
}

beforeEach(() => {
  tree = new DataTree();
  zxid = 100n;
});

describe('a new tree', () => {
  it('has the nodes of the server, which the stats of their parents do not count', () => {
    expect(tree.size).toBe(5);
    expect(tree.get('')).toBe(tree.get('/'));
    expect(statOf(tree.get('/'))).toMatchObject({ cversion: -1, numChildren: 1, czxid: 0n });
    expect(statOf(tree.get('/zookeeper'))).toMatchObject({ cversion: -2, numChildren: 2 });
    expect(tree.get('/zookeeper/config')).toMatchObject({ aversion: -1, acl: closed });
  });
});

describe('changes', () => {
  it('show in the stats of node and parent', () => {
    create('/p');
    create('/p/a');
    create('/p/b', { kind: 'session', sessionId: 9n });
    tree.delete(begin(), '/p/a');
    tree.setData(begin(), tree.get('/p/b'), null, 1);
    tree.setAcl(begin(), tree.get('/p/b'), closed, 1);
    expect(statOf(tree.get('/p'))).toEqual({
      ...{ czxid: 101n, mzxid: 101n, pzxid: 104n, ctime: 101_000n, mtime: 101_000n },
      ...{ version: 0, cversion: 3, aversion: 0, ephemeralOwner: 0n },
      ...{ dataLength: 3, numChildren: 1 },
    });
    expect(statOf(tree.get('/p/b'))).toEqual({
      ...{ czxid: 103n, mzxid: 105n, pzxid: 103n, ctime: 103_000n, mtime: 105_000n },
      ...{ version: 1, cversion: 0, aversion: 1, ephemeralOwner: 9n },
      ...{ dataLength: 0, numChildren: 0 },
    });
  });

  it.each([
    { childrenCreated: 0, children: 0, cversion: 0 },
    { childrenCreated: 3, children: 1, cversion: 5 },
    { childrenCreated: 1_073_741_824, children: 0, cversion: -2_147_483_648 },
    { childrenCreated: 2_147_483_647, children: 1, cversion: -3 },
    { childrenCreated: -2_147_483_648, children: 0, cversion: 0 },
    { childrenCreated: -2_147_483_648, children: 1, cversion: -1 },
  ])('of $childrenCreated children, $children of them left, are version $cversion', (one) => {
    const node = create('/p');
    for (let i = 0; i < one.children; i++) create(`/p/${i}`);
    node.childrenCreated = one.childrenCreated;
    expect(statOf(node).cversion).toBe(one.cversion);
  });

  it.each([
    { what: 'a missing parent', error: 'noNode', change: () => create('/x/y') },
    { what: 'a node twice', error: 'nodeExists', change: () => create('/p') },
    {
      what: 'a child of ephemerals',
      error: 'noChildrenForEphemerals',
      change: () => create('/e/c'),
    },
    { what: 'the end of a full node', error: 'notEmpty', change: () => tree.delete(begin(), '/p') },
    { what: 'the end of none', error: 'noNode', change: () => tree.delete(begin(), '/none') },
  ])('such as $what are refused with $error', ({ error, change }) => {
    create('/p');
    create('/p/c');
    create('/e', { kind: 'session', sessionId: 1n });
    const before = everything();
    expect(change).toThrow(error);
    expect(everything()).toEqual(before);
  });

  it('are known by owner, for as long as the nodes are there', () => {
    create('/e', { kind: 'session', sessionId: 1n });
    create('/f', { kind: 'session', sessionId: 1n });
    create('/c', { kind: 'container' });
    create('/t', { kind: 'ttl', ttlMs: 5 });
    expect(tree.ephemeralsOf(1n)).toEqual(['/e', '/f']);
    expect(tree.mortals().map(({ path }) => path)).toEqual(['/c', '/t']);
    for (const path of ['/e', '/f', '/c', '/t']) tree.delete(begin(), path);
    expect([...tree.ephemerals()]).toEqual([]);
    expect(tree.mortals()).toEqual([]);
    expect(tree.size).toBe(5);
  });
});

describe('countBelow', () => {
  it('counts the nodes below, and not those whose paths begin alike', () => {
    for (const path of ['/a', '/a/b', '/a/b/c', '/ab']) create(path);
    expect(tree.countBelow('/a')).toBe(2);
    expect(tree.countBelow('/a/b/c')).toBe(0);
    expect(tree.countBelow('/')).toBe(7);
  });
});

describe('a transaction', () => {
  const names = ['/a', '/b', '/a/a', '/a/b', '/b/a', '/a/a/a'];
  const owners: NodeOwner[] = [
    UNOWNED,
    { kind: 'session', sessionId: 1n },
    { kind: 'session', sessionId: 2n },
    { kind: 'container' },
    { kind: 'ttl', ttlMs: 9 },
  ];
  const change = fc.record({
    does: fc.constantFrom('create', 'create', 'delete', 'setData', 'setAcl'),
    path: fc.constantFrom(...names),
    owner: fc.constantFrom(...owners),
  });

  type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

  function apply({ does, path, owner }: Change, transaction: Transaction): void {
    try {
      if (does === 'create') create(path, owner, transaction);
      else if (does === 'delete') tree.delete(transaction, path);
      else if (does === 'setData') tree.setData(transaction, tree.get(path), Buffer.from('x'), 5);
      else tree.setAcl(transaction, tree.get(path), closed, 6);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
    }
  }

  it('leaves no trace when it is rolled back', () => {
    const changes = fc.array(change, { maxLength: 15 });
    fc.assert(
      fc.property(changes, changes, (first, second) => {
        tree = new DataTree();
        for (const one of first) apply(one, begin());
        const before = everything();
        const transaction = begin();
        for (const one of second) apply(one, transaction);
        transaction.rollBack();
        expect(everything()).toEqual(before);
        expect(transaction.events).toEqual([]);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('reports events in order, with the ACLs of that moment', () => {
    const transaction = begin();
    create('/a', UNOWNED, transaction);
    tree.setAcl(transaction, tree.get('/a'), closed, 1);
    create('/a/b', UNOWNED, transaction);
    tree.setData(transaction, tree.get('/a'), null, 1);
    tree.delete(transaction, '/a/b');
    expect(transaction.events).toEqual([
      { kind: 'created', path: '/a', acl, parentAcl: acl },
      { kind: 'created', path: '/a/b', acl, parentAcl: closed },
      { kind: 'changed', path: '/a', acl: closed },
      { kind: 'deleted', path: '/a/b', acl, parentAcl: closed },
    ]);
  });
});
