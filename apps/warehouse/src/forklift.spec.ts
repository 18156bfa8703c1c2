import { expect, it } from 'vitest';
import { Forklift } from './forklift.js';

it('ends the streams that begin before and after the shutdown', () => {
  const forklift = new Forklift();
  const before = forklift.shelves('bolts').subscribe();
  expect(before.closed).toBe(false);
  forklift.beforeApplicationShutdown();
  const after = forklift.shelves('bolts').subscribe();
  expect([before.closed, after.closed]).toEqual([true, true]);
});
