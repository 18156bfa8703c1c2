import { setImmediate as nextTurn } from 'node:timers/promises';
import timers from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/replace-builtin.js';
import { World } from './key-queue-world.js';

/** Pauses before another attempt are short; the long ones, before a refused deletion, do not end. */
const pause = (async (ms = 0, _value?: unknown, { signal }: { signal?: AbortSignal } = {}) => {
  if (ms <= 1_000) return;
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}) as typeof timers.setTimeout;
replaceBuiltin(timers, 'setTimeout', pause);

const RUNS = Number(process.env.MODEL_RUNS ?? 3_000);

/** Until nothing goes on but what waits for the server. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await nextTurn();
}

const OFTEN = [
  'weAsk',
  'weHear',
  'serverExecutes',
  'weRelease',
  'allIsAnswered',
  'othersTryToUpgrade',
];

describe.each([
  ['with readers', true],
  ['without readers', false],
])('in any history, %s, the queue of a key', (_, hasReaders) => {
  it(
    'lets in nobody beside a holder, and everybody at last',
    async () => {
      const names = Object.keys(new World(true).steps);
      const step = fc.tuple(fc.constantFrom(...names, ...OFTEN), fc.nat(20));
      const story = fc.array(step, { minLength: 10, maxLength: 80, size: 'max' });
      let granted = 0;
      await fc.assert(
        fc.asyncProperty(story, async (steps) => {
          const world = new World(hasReaders);
          try {
            for (const [name, pick] of steps) {
              world.steps[name]!(pick);
              await turn();
              world.check();
              if (world.broken.length > 0) break;
            }
            if (!world.wasRefused && world.broken.length === 0) await world.rest(turn);
            expect(world.broken).toEqual([]);
          } finally {
            world.stop();
            await turn();
          }
          granted += world.grants;
        }),
        { numRuns: RUNS },
      );
      // Else nothing was tried.
      expect(granted).toBeGreaterThan(RUNS);
    },
    60_000 + RUNS * 30,
  );
});
