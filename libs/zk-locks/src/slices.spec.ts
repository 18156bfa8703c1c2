import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inSlices, sortedInSlices } from './slices.js';

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

function* work(steps: number, onStep: () => void): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    spin(1);
    onStep();
    yield;
  }
  return 'done';
}

it('lets the event loop go on, however many such works there are', async () => {
  let inTurn = 0;
  let most = 0;
  const turn = setImmediate(function next(): void {
    inTurn = 0;
    current = setImmediate(next);
  });
  let current = turn;
  const count = (): void => void (most = Math.max(most, ++inTurn));
  const works = Array.from({ length: 5 }, () => inSlices(work(30, count)));
  expect(await Promise.all(works)).toEqual(Array.from({ length: 5 }, () => 'done'));
  clearImmediate(current);
  // Ten milliseconds of one each; one more may have begun, and the counter may have its turn later.
  expect(most).toBeLessThanOrEqual(22);
});

it('lets short work end before long work that began earlier', async () => {
  const ended: string[] = [];
  const long = inSlices(work(200, () => undefined)).then(() => ended.push('long'));
  const short = inSlices(work(15, () => undefined)).then(() => ended.push('short'));
  await Promise.all([long, short]);
  expect(ended).toEqual(['short', 'long']);
});

it('sorts as arrays do, even if items are equal', async () => {
  const entries = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.nat()), {
    maxLength: 3_000,
  });
  await fc.assert(
    fc.asyncProperty(entries, async (items) => {
      const compare = (a: [number, number], b: [number, number]): number => a[0] - b[0];
      expect(await inSlices(sortedInSlices(items, compare))).toEqual(items.toSorted(compare));
    }),
    { numRuns: 30 },
  );
});
