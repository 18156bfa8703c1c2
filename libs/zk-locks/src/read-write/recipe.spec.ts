import { describe, expect, it } from 'vitest';
import { dialectOf } from '../queue/dialect.js';
import { aheadOf } from '../queue/lock-queue.js';
import { readWriteLock } from './recipe.js';

const GUID = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001';

/** A queue written as in the stories, `WRRW`, numbered from 0. */
function queue(story: string): string[] {
  return Array.from(story).map((letter, index) => {
    const kind = letter === 'R' ? 'READ' : 'WRIT';
    return `_c_${GUID}-__${kind}__${String(index).padStart(10, '0')}`;
  });
}

describe('read/write lock', () => {
  it.each([
    ['W', undefined],
    ['R', undefined],
    ['RW', 0],
    ['WW', 0],
    ['WR', 0],
    ['RR', undefined],
    ['RRRW', 2],
    ['WRRR', 0],
    ['WRWR', 2],
    ['WWRR', 1],
    ['RWRRR', 1],
    ['WRRRW', 3],
  ])('in %s the last one waits for node %s', (story, expected) => {
    const names = queue(story);
    const own = names.at(-1)!;
    const ahead = aheadOf(dialectOf('curator-rw').parse('/locks/k', names.toReversed()), own) ?? [];
    const blocker = readWriteLock[story.endsWith('R') ? 'read' : 'write'](ahead);
    expect(blocker?.name).toBe(expected === undefined ? undefined : names[expected]);
  });
});
