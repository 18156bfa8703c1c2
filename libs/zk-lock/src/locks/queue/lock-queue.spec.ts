import { describe, expect, it } from 'vitest';
import { dialectOf } from './dialect.js';
import { LockDirectoryError } from '../lock-errors.js';
import { aheadOf, compareSequence } from './lock-queue.js';

const GUID = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001';
const name = (kind: 'READ' | 'WRIT', sequence: string): string =>
  `_c_${GUID}-__${kind}__${sequence}`;
const parse = (names: string[]) => dialectOf('curator-rw').parse('/locks/k', names);

/** A queue written as in the stories, `WRRW`, numbered from 0. */
function queue(story: string): string[] {
  return Array.from(story).map((letter, index) =>
    name(letter === 'R' ? 'READ' : 'WRIT', String(index).padStart(10, '0')),
  );
}

describe('sequence numbers', () => {
  it.each([
    [1, 2],
    [9_999_999_999 | 0, (9_999_999_999 | 0) + 1],
    [2_147_483_647, -2_147_483_648],
    [2_147_483_640, -2_147_483_640],
    [-2_147_483_648, -2_147_483_647],
    [-1, 0],
    [-12, -3],
  ])('%i comes before %i', (earlier, later) => {
    expect(compareSequence(earlier, later)).toBeLessThan(0);
    expect(compareSequence(later, earlier)).toBeGreaterThan(0);
  });
});

describe('queue of a directory', () => {
  it('is in order of sequence, over the wrap of the counter and whatever the names begin with', () => {
    const sequences = ['-2147483647', '2147483647', '-2147483648', '2147483646'];
    const nodes = parse(sequences.map((sequence) => name('WRIT', sequence)));
    expect(nodes.map((node) => node.sequence)).toEqual([
      2147483646, 2147483647, -2147483648, -2147483647,
    ]);
  });

  it('tells readers from writers', () => {
    expect(parse(queue('WRW')).map((node) => node.mode)).toEqual(['write', 'read', 'write']);
  });

  it('knows short negative numbers', () => {
    expect(parse([name('READ', '-000000005')])[0]?.sequence).toBe(-5);
  });

  it('refuses foreign nodes by name', () => {
    const foreign = ['lock-0000000001', 'README', `_c_${GUID}-lock-0000000002`, 'x'];
    const refused = (): unknown => parse([...queue('W'), ...foreign]);
    expect(refused).toThrow(LockDirectoryError);
    expect(refused).toThrow(/"lock-0000000001", "README".* and 1 more/);
  });

  it('has no place for a node that is gone', () => {
    expect(aheadOf(parse(queue('WW')), name('WRIT', '0000000009'))).toBeUndefined();
  });
});
