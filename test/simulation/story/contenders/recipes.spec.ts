import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../../libs/zk-locks/src/nodes/dialect.js';
import { blockerOf, RECIPES } from './recipes.js';

const number = (place: number): string => String(place).padStart(10, '0');

describe.each(Object.entries(RECIPES))('the recipe %s', (dialect, recipe) => {
  it('has names that our dialect knows', () => {
    for (const mode of recipe.modes) {
      const name = `${recipe.prefix(mode)}${number(7)}`;
      const parsed = dialectOf(dialect as keyof typeof RECIPES).parse('/locks/a', [name]);
      expect(parsed).toEqual([{ name, mode, sequence: 7 }]);
    }
  });

  it('lets a writer wait for the node before its own', () => {
    const names = [3, 1, 2].map((place) => `${recipe.prefix('write')}${number(place)}`);
    expect(blockerOf(recipe, names, names[0]!, 'write')).toBe(names[2]);
    expect(blockerOf(recipe, names, names[1]!, 'write')).toBeUndefined();
    expect(blockerOf(recipe, names, 'gone', 'write')).toBeNull();
  });
});

it.each(['curator-rw', 'kazoo'] as const)('a reader of %s waits for writers alone', (name) => {
  const recipe = RECIPES[name];
  const writer = `${recipe.prefix('write')}${number(1)}`;
  const readers = [2, 3].map((place) => `${recipe.prefix('read')}${number(place)}`);
  expect(blockerOf(recipe, readers, readers[1]!, 'read')).toBeUndefined();
  expect(blockerOf(recipe, [writer, ...readers], readers[1]!, 'read')).toBe(writer);
});
