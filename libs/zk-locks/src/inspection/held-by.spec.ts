import { describe, expect, it } from 'vitest';
import type { LockHolder } from '../lock/lock-errors.js';
import type { HolderData } from '../lock/holder.js';
import { describeHolders } from './held-by.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');

const held = (data?: Partial<HolderData>, agoMs = 41_000): LockHolder => ({
  node: '_c_8a51-__WRIT__0000000012',
  since: new Date(NOW - agoMs),
  holder: data && { host: 'orders-7f9', pid: 812, since: '2020-01-01T00:00:00Z', ...data },
});

describe('who holds a lock', () => {
  it.each<[string, LockHolder, number, string]>([
    ['a process', held({}), 1, 'Held by orders-7f9 (pid 812), which asked for it 41 s ago.'],
    [
      'one that has a name, and says what for',
      held({ application: 'billing', label: 'invoice 7' }),
      1,
      'Held by billing on orders-7f9 (pid 812) for "invoice 7", which asked for it 41 s ago.',
    ],
    [
      'several',
      held({}),
      4,
      'Held by orders-7f9 (pid 812), which asked for it 41 s ago, and 3 more.',
    ],
    [
      'one whose node serves several calls, without the age of the node',
      held({ application: 'billing', cohort: true }),
      1,
      'Held by billing on orders-7f9 (pid 812), for several calls.',
    ],
    [
      'another library',
      held(),
      1,
      'Held by node _c_8a51-__WRIT__0000000012 of another library, created 41 s ago.',
    ],
  ])('is said of %s', (_who, holder, total, sentence) => {
    expect(describeHolders([holder], { total }, NOW)).toBe(sentence);
  });

  it('is one line of reasonable length, whatever the node contains', () => {
    const nasty = { host: `a\nERROR all is lost\u2028\u001b[31m`, label: 'x'.repeat(3_000) };
    const sentence = describeHolders([held(nasty)], { total: 1 }, NOW)!;
    expect(sentence).not.toMatch(/[\n\u2028\u001b]/u);
    expect(sentence.length).toBeLessThan(250);
  });
});
