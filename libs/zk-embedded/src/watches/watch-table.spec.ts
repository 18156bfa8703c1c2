import { beforeEach, describe, expect, it } from 'vitest';
import { WatchTable } from './watch-table.js';

const whole = { forRecursive: true };

let table: WatchTable<string>;

beforeEach(() => {
  table = new WatchTable();
});

describe('trigger', () => {
  it('removes one-shot watches, and no others', () => {
    table.add('/a', 'once', 'one-shot');
    table.add('/a', 'ever', 'persistent');
    expect(table.trigger('/a', whole)).toEqual(new Set(['once', 'ever']));
    expect(table.trigger('/a', whole)).toEqual(new Set(['ever']));
  });

  it.each([
    { path: '/a', told: ['all', 'deep'] },
    { path: '/a/b', told: ['all', 'deep'] },
    { path: '/a/b/c', told: ['all', 'deep'] },
    { path: '/ab', told: ['all'] },
    { path: '/', told: ['all'] },
  ])('finds the recursive watchers above $path', ({ path, told }) => {
    table.add('/', 'all', 'recursive');
    table.add('/a', 'deep', 'recursive');
    table.add('/a', 'flat', 'persistent');
    table.remove('/a', 'flat');
    expect([...table.trigger(path, whole)].sort()).toEqual(told);
    expect([...table.trigger(path, { forRecursive: false })]).toEqual([]);
  });

  it('finds no watcher when the last recursive watch is gone', () => {
    table.add('/', 'all', 'recursive');
    table.add('/', 'all', 'recursive');
    table.remove('/', 'all');
    expect(table.trigger('/a', whole).size).toBe(0);
  });
});

it('the latest watch of a watcher on a path takes the place of the one before it', () => {
  table.add('/a', 'w', 'persistent');
  table.add('/a', 'w', 'one-shot');
  expect(table.trigger('/a', whole).size).toBe(1);
  expect(table.trigger('/a', whole).size).toBe(0);
  table.add('/a', 'w', 'recursive');
  expect(table.trigger('/a', { forRecursive: false }).size).toBe(0);
  table.add('/a', 'w', 'persistent');
  expect(table.trigger('/a/b', whole).size).toBe(0);
  expect(table.has('/a', 'w')).toBe(true);
  expect(table.remove('/a', 'w')).toBe(true);
  expect(table.has('/a', 'w')).toBe(false);
  expect(table.remove('/a', 'w')).toBe(false);
});

describe('what is counted', () => {
  it('is each path of each watcher, and 0 when all have gone', () => {
    for (const watcher of ['v', 'w']) {
      table.add('/a', watcher, 'one-shot');
      table.add('/b', watcher, 'persistent');
      table.add('/c', watcher, 'recursive');
    }
    expect(table.size).toBe(6);
    table.removeWatcher('v');
    expect(table.size).toBe(3);
    table.trigger('/a', whole);
    table.remove('/b', 'w');
    expect([...table.paths.keys()]).toEqual(['/c']);
    table.remove('/c', 'w');
    expect([table.size, table.paths.size, table.watchers.size]).toEqual([0, 0, 0]);
  });
});
