import { describe, expect, it } from 'vitest';
import { bucketOf, middleOf } from '../driver/buckets.js';
import type { Counts } from '../driver/protocol.js';
import { merge, percentile, total } from './histogram.js';

const countsOf = (...values: readonly number[]): Counts => {
  const counts: Counts = {};
  for (const bucket of values.map(bucketOf)) counts[bucket] = (counts[bucket] ?? 0) + 1;
  return counts;
};

describe('buckets', () => {
  it.each([0.001, 0.05, 1, 1.01, 250, 60_000])('know %d ms to within a hundredth', (ms) => {
    expect(Math.abs(middleOf(bucketOf(ms)) / ms - 1)).toBeLessThan(0.0101);
  });

  it('have a place for 0', () => {
    expect(Number.isFinite(bucketOf(0))).toBe(true);
  });
});

describe('percentile', () => {
  const hundred = countsOf(...Array.from({ length: 100 }, (_, index) => 2 ** ((index + 1) / 5)));

  it.each([
    [1, 2 ** 0.2],
    [50, 2 ** 10],
    [99, 2 ** 19.8],
    [100, 2 ** 20],
  ])('finds the value that %d%% do not exceed', (percent, value) => {
    expect(percentile(hundred, percent)! / value).toBeCloseTo(1, 1.5);
  });

  it('sorts durations below and above a millisecond, whose buckets are negative or positive', () => {
    const mixed = countsOf(30, 0.01, 0.5);
    expect(percentile(mixed, 1)).toBeCloseTo(0.01, 3);
    expect(percentile(mixed, 50)).toBeCloseTo(0.5, 2);
    expect(percentile(mixed, 100)! / 30).toBeCloseTo(1, 1.7);
  });

  it('is undefined without values', () => {
    expect(percentile({}, 50)).toBeUndefined();
  });
});

describe('merge', () => {
  it('adds up what several processes have counted', () => {
    const merged = merge([{ '1': 2, '5': 1 }, { '5': 3 }, {}]);
    expect(merged).toEqual({ '1': 2, '5': 4 });
    expect(total(merged)).toBe(6);
  });
});
