import { beforeEach, describe, expect, it } from 'vitest';
import { WatchMode, WatchTable } from './watch-table.js';

const { oneShot, persistent, recursive } = WatchMode;
const whole = { forRecursive: true };

let table: WatchTable<string>;

beforeEach(() => {
  table = new WatchTable();
});

describe('trigger', () => {
  it('removes one-shot watches, and no others', () => {
    table.add('/a', 'once', oneShot);
    table.add('/a', 'ever', persistent);
    table.add('/a', 'both', oneShot);
    table.add('/a', 'both', persistent);
    expect(table.trigger('/a', whole)).toEqual(new Set(['once', 'ever', 'both']));
    expect(table.trigger('/a', whole)).toEqual(new Set(['ever', 'both']));
    expect(table.has('/a', 'both', oneShot)).toBe(false);
  });

  it.each([
    { path: '/a', told: ['all', 'deep'] },
    { path: '/a/b', told: ['all', 'deep'] },
    { path: '/a/b/c', told: ['all', 'deep'] },
    { path: '/ab', told: ['all'] },
    { path: '/', told: ['all'] },
  ])('finds the recursive watchers above $path', ({ path, told }) => {
    table.add('/', 'all', recursive);
    table.add('/a', 'deep', recursive);
    table.add('/a', 'flat', persistent);
    table.remove('/a', 'flat');
    expect([...table.trigger(path, whole)].sort()).toEqual(told);
    expect([...table.trigger(path, { forRecursive: false })]).toEqual([]);
  });

  it('finds no watcher when the last recursive watch is gone', () => {
    table.add('/', 'all', recursive);
    table.add('/', 'all', recursive);
    table.remove('/', 'all', recursive);
    expect(table.trigger('/a', whole).size).toBe(0);
  });
});

describe('has and remove', () => {
  it('tell modes apart, and mean all of them without a mode', () => {
    table.add('/a', 'w', oneShot);
    table.add('/a', 'w', recursive);
    expect(table.has('/a', 'w')).toBe(true);
    expect(table.has('/a', 'w', persistent)).toBe(false);
    expect(table.has('/a/b', 'w', recursive)).toBe(false);
    expect(table.remove('/a', 'w', persistent)).toBe(false);
    expect(table.remove('/a', 'w', oneShot)).toBe(true);
    expect(table.has('/a', 'w', oneShot)).toBe(false);
    expect(table.remove('/a', 'w')).toBe(true);
    expect(table.remove('/a', 'w')).toBe(false);
  });
});

describe('what is counted', () => {
  it('is each path of each watcher, and 0 when all have gone', () => {
    for (const watcher of ['v', 'w']) {
      for (const path of ['/a', '/b', '/c']) {
        for (const mode of [oneShot, persistent, recursive]) table.add(path, watcher, mode);
      }
    }
    expect(table.size).toBe(6);
    table.removeWatcher('v');
    expect(table.size).toBe(3);
    for (const path of ['/a', '/b']) {
      table.remove(path, 'w', persistent);
      table.remove(path, 'w', recursive);
      table.trigger(path, whole);
    }
    expect([...table.paths.keys()]).toEqual(['/c']);
    table.remove('/c', 'w');
    expect([table.size, table.paths.size, table.watchers.size]).toEqual([0, 0, 0]);
  });
});
