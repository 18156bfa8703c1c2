import { expect, it } from 'vitest';
import { endure } from './endurance.js';
import { cycleLimits, leaksIn, sessionLimits, table } from './verdict.js';

/** With this many cycles, what V8 learns about code weighs little. The long run is `npm run endurance`. */
const RUNS = [
  ['locks are taken and given back', { of: 'cycles', steps: 2_000, pauses: 4 }, cycleLimits],
  ['session after session is lost', { of: 'sessions', steps: 4, pauses: 4 }, sessionLimits],
] as const;

/** On an idle machine, a run takes less than a minute. */
const TIMEOUT_MS = 400_000;

it.each(RUNS)(
  'keeps memory and handles flat while %s',
  async (_what, run, limits) => {
    const samples = await endure({ ...run, seed: 1 });
    expect(leaksIn(samples, limits), table(samples)).toEqual([]);
  },
  TIMEOUT_MS,
);
