import { describe, expect, it } from 'vitest';
import { EventType } from 'zk-protocol';
import type { TreeEvent } from '../tree/transaction.js';
import { type Watcher, Watches } from './watches.js';

const NAMES = new Map<number, string>(
  Object.entries(EventType).map(([name, code]) => [code, name]),
);

function scene() {
  const told: string[] = [];
  const watcher: Watcher = {
    notify: (type, path) => void told.push(`${NAMES.get(type) ?? '?'} ${path}`),
  };
  const watches = new Watches();
  const fire = (kind: TreeEvent['kind'], path: string): string[] => {
    watches.fire({ kind, path, acl: [], parentAcl: [] });
    return told.splice(0);
  };
  return { watches, watcher, fire };
}

describe('of what happens', () => {
  it('one-shot watches hear once, each from its table', () => {
    const { watches, watcher, fire } = scene();
    watches.data.add('/a', watcher, 'one-shot');
    watches.children.add('/', watcher, 'one-shot');
    expect(fire('created', '/a')).toEqual(['nodeCreated /a', 'nodeChildrenChanged /']);
    expect(fire('deleted', '/a')).toEqual([]);
  });

  it('a watcher of a node and its children hears of its end once', () => {
    const { watches, watcher, fire } = scene();
    watches.data.add('/a', watcher, 'one-shot');
    watches.children.add('/a', watcher, 'one-shot');
    expect(fire('deleted', '/a')).toEqual(['nodeDeleted /a']);
    expect(watches.children.size).toBe(0);
  });

  it.each([
    { mode: 'node', kind: 'created', path: '/a', told: ['nodeCreated /a'] },
    { mode: 'node', kind: 'changed', path: '/a', told: ['nodeDataChanged /a'] },
    { mode: 'node', kind: 'deleted', path: '/a', told: ['nodeDeleted /a'] },
    { mode: 'node', kind: 'created', path: '/a/b', told: ['nodeChildrenChanged /a'] },
    { mode: 'node', kind: 'changed', path: '/a/b', told: [] },
    { mode: 'node', kind: 'created', path: '/a/b/c', told: [] },
    { mode: 'recursive', kind: 'deleted', path: '/a', told: ['nodeDeleted /a'] },
    { mode: 'recursive', kind: 'created', path: '/a/b', told: ['nodeCreated /a/b'] },
    { mode: 'recursive', kind: 'changed', path: '/a/b/c', told: ['nodeDataChanged /a/b/c'] },
    { mode: 'recursive', kind: 'changed', path: '/', told: [] },
  ] as const)('a $mode watch hears of $kind $path for ever', ({ mode, kind, path, told }) => {
    const { watches, watcher, fire } = scene();
    watches.addPersistent('/a', watcher, mode);
    expect(fire(kind, path)).toEqual(told);
    expect(fire(kind, path)).toEqual(told);
    watches.removeWatcher(watcher);
    expect(fire(kind, path)).toEqual([]);
    expect([watches.data.size, watches.children.size]).toEqual([0, 0]);
  });
});
