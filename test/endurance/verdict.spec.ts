import { describe, expect, it } from 'vitest';
import type { Sample } from './sample.js';
import { cycleLimits, judge, slopeOf } from './verdict.js';

const PAUSES = 20;

/** A run in which what is named grows by so much with each step. */
function run(steps: number, growth: Partial<Record<keyof Sample, number>> = {}): Sample[] {
  return Array.from({ length: PAUSES + 1 }, (_, pause) => {
    const done = (steps * pause) / PAUSES;
    const start = { heap: 15e6, objects: 18_000, rss: 85e6, resources: 3, descriptors: 19 };
    const rest = { parked: 0, listeners: 0, held: 2, waiting: 0 };
    const server = { sessions: 1, watches: 3, ephemerals: 3, znodes: 12 };
    const zero = { heapUsed: 0, external: 0, arrayBuffers: 0, seconds: 0, done: 0 };
    const sample = { ...start, ...rest, ...server, ...zero };
    for (const [name, value] of Object.entries(growth)) {
      sample[name as keyof Sample] += value * done;
    }
    return { ...sample, done };
  });
}

const notFlat = (samples: Sample[]): string[] =>
  judge(samples, cycleLimits)
    .filter(({ isFlat }) => !isFlat)
    .map(({ what }) => what);

describe('the verdict', () => {
  it('is that a run is flat where nothing grows', () => {
    expect(notFlat(run(1_000_000))).toEqual([]);
    expect(notFlat(run(5_000))).toEqual([]);
  });

  it.each([
    ['heap', 9],
    ['objects', 0.002],
    ['rss', 17],
    ['listeners', 1],
    ['descriptors', 0.001],
    ['resources', 0.001],
    ['held', 0.001],
    ['waiting', 0.001],
    ['sessions', 0.001],
    ['watches', 0.001],
    ['ephemerals', 0.001],
  ] as const)('is that a long run is not flat where %s grows by %d a step', (what, perStep) => {
    expect(notFlat(run(1_000_000, { [what]: perStep }))).toEqual([what]);
  });

  it('is that a short run is not flat where each cycle leaves an object', () => {
    expect(notFlat(run(5_000, { objects: 1, heap: 64 }))).toEqual(['heap', 'objects']);
  });

  it('does not count the warm-up', () => {
    const samples = run(1_000_000).map((sample) =>
      sample.done < 100_000 ? { ...sample, heap: 10e6, objects: 10_000 } : sample,
    );
    expect(notFlat(samples)).toEqual([]);
  });

  it('lets the resident set grow in the first half', () => {
    const samples = run(1_000_000, { rss: 100 });
    const half = samples[PAUSES / 2]?.rss ?? 0;
    expect(
      notFlat(samples.map((sample) => ({ ...sample, rss: Math.min(sample.rss, half) }))),
    ).toEqual([]);
  });
});

it('finds the slope of the line that is nearest to all points', () => {
  expect(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBeCloseTo(2);
  expect(
    slopeOf([
      [0, 0],
      [1, 4],
      [2, 2],
    ]),
  ).toBeCloseTo(1);
});
