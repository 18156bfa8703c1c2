import { expect, it } from 'vitest';
import { cycleLimits, leaksIn } from './verdict.js';
import type { Sample } from './worker/run.js';

const PAUSES = 20;

/** A run in which the named counts grow by the given amount with each step. */
function run(steps: number, growth: Partial<Record<keyof Sample, number>> = {}): Sample[] {
  return Array.from({ length: PAUSES + 1 }, (_, pause) => {
    const done = (steps * pause) / PAUSES;
    const start = { heap: 15e6, objects: 18_000, rss: 85e6, resources: 3, descriptors: 19 };
    const sample = { ...start, listeners: 0, held: 2, waiting: 0, done };
    for (const [name, value] of Object.entries(growth)) {
      sample[name as keyof Sample] += value * done;
    }
    return sample;
  });
}

const leaks = (samples: Sample[]): string[] =>
  leaksIn(samples, cycleLimits).map((leak) => leak.slice(0, leak.indexOf(':')));

it.each([
  ['heap', 9],
  ['objects', 0.002],
  ['rss', 17],
  ['listeners', 1],
  ['descriptors', 0.001],
  ['resources', 0.001],
] as const)('a long run in which %s grows by %d a step is not flat', (what, perStep) => {
  expect(leaks(run(1_000_000))).toEqual([]);
  expect(leaks(run(1_000_000, { [what]: perStep }))).toEqual([what]);
});

it('a short run in which each cycle leaves an object is not flat', () => {
  expect(leaks(run(2_000))).toEqual([]);
  expect(leaks(run(2_000, { objects: 1, heap: 64 }))).toEqual(['objects']);
});
