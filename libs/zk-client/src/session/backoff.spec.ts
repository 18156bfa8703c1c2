import { describe, expect, it } from 'vitest';
import { backoffDelay } from './backoff.js';

const limits = { baseMs: 50, capMs: 1_000 };

describe('backoff', () => {
  it.each([
    [0, 50],
    [1, 100],
    [4, 800],
    [5, 1_000],
    [1_000, 1_000],
  ])('attempt %i waits at most %i ms', (attempt, longest) => {
    expect(backoffDelay(attempt, limits, 1)).toBe(longest);
  });

  it('spreads evenly from nothing up', () => {
    expect(backoffDelay(3, limits, 0)).toBe(0);
    expect(backoffDelay(3, limits, 0.25)).toBe(100);
  });
});
