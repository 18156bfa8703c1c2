import { describe, expect, it } from 'vitest';
import { dialectOf, aheadOf } from '../nodes/dialect.js';
import { LockDirectoryError } from '../lock/lock-errors.js';

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

describe('queue of a directory', () => {
  it('is in order of sequence, regardless of what the names begin with', () => {
    const sequences = ['2147483646', '0000000009', '0000000010', '2147483645'];
    const nodes = parse(sequences.map((sequence) => name('WRIT', sequence)));
    expect(nodes.map((node) => node.sequence)).toEqual([9, 10, 2147483645, 2147483646]);
  });

  it('tells readers from writers', () => {
    expect(parse(queue('WRW')).map((node) => node.mode)).toEqual(['write', 'read', 'write']);
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
