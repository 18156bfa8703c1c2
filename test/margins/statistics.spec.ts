import { describe, expect, it } from 'vitest';
import { summarize } from './statistics.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('summarize', () => {
  it.each([
    { of: [7], expected: { count: 1, min: 7, p1: 7, median: 7, p99: 7, max: 7 } },
    { of: [3, 1], expected: { count: 2, min: 1, p1: 1, median: 1, p99: 3, max: 3 } },
    { of: [10, 9, -2], expected: { count: 3, min: -2, p1: -2, median: 9, p99: 10, max: 10 } },
    { of: upTo(100), expected: { count: 100, min: 1, p1: 1, median: 50, p99: 99, max: 100 } },
    { of: upTo(101), expected: { count: 101, min: 1, p1: 2, median: 51, p99: 100, max: 101 } },
    { of: upTo(500), expected: { count: 500, min: 1, p1: 5, median: 250, p99: 495, max: 500 } },
  ])('takes the nearest ranks of $expected.count values', ({ of, expected }) => {
    expect(summarize(of)).toEqual(expected);
  });

  it('does not depend on the order, and leaves it as it was', () => {
    const values = upTo(30).toReversed();
    expect(summarize(values)).toEqual(summarize(upTo(30)));
    expect(values[0]).toBe(30);
  });

  it('says nothing about nothing', () => {
    expect(() => summarize([])).toThrow(RangeError);
  });
});
