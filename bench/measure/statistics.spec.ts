import { describe, expect, it } from 'vitest';
import { fairness, median, percentileOf, ratios } from './statistics.js';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[], undefined],
  ])('of %j is %s', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe('fairness', () => {
  it.each([
    ['all have the same', [5, 5, 5, 5], 1],
    ['one of four has everything', [8, 0, 0, 0], 0.25],
    ['two of four share', [3, 3, 0, 0], 0.5],
    ['all have 0', [0, 0], undefined],
  ])('is computed when %s', (_, shares, expected) => {
    expect(fairness(shares)).toBe(expected);
  });
});

describe('ratios', () => {
  it('compares figures of the same round, whatever the load in it', () => {
    expect(ratios([200, 20, 110], [100, 10, 50])).toEqual({ median: 2, min: 2, max: 2.2 });
  });

  it('leaves out rounds in which a contender failed or completed no cycle', () => {
    const left = [undefined, 30, 10, 40];
    const right = [10, 10, undefined, 0];
    expect(ratios(left, right)).toEqual({ median: 3, min: 3, max: 3 });
    expect(ratios([1], [])).toBeUndefined();
  });
});

describe('percentileOf', () => {
  it.each([
    [[3, 1, 2], 50, 2],
    [[3, 1, 2], 99, 3],
    [[], 99, undefined],
  ])('of %j, %d%%, is %s', (values, percent, expected) => {
    expect(percentileOf(values, percent)).toBe(expected);
  });
});
