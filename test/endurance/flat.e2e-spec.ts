import { expect, it } from 'vitest';
import { endureCycles, endureSessions } from './endurance.js';
import { samplesTable } from './report.js';
import type { Sample } from './sample.js';
import { cycleLimits, judge, type Limits, sessionLimits } from './verdict.js';
import { cycleKinds } from './worker/protocol.js';

/** Half a minute on an idle machine: so many that what V8 learns about code weighs little. The long run is `npm run endurance`. */
const CYCLES = 12_000;
const SESSIONS = 20;
const SEED = 1;

function expectFlat(samples: readonly Sample[], limits: Limits): void {
  const leaks = judge(samples, limits).filter(({ isFlat }) => !isFlat);
  expect(leaks, samplesTable(samples)).toEqual([]);
}

it('keeps memory and handles flat while locks are taken and given back', async () => {
  const samples = await endureCycles({
    cycles: CYCLES,
    kinds: cycleKinds,
    tasks: 64,
    pauses: 8,
    seed: SEED,
  });
  expect(samples.at(-1)?.done).toBe(CYCLES);
  expectFlat(samples, cycleLimits);
}, 120_000);

it('keeps memory and handles flat while session after session is lost', async () => {
  const samples = await endureSessions({ sessions: SESSIONS, pauses: 4, seed: SEED });
  expect(samples.at(-1)?.done).toBe(SESSIONS);
  expectFlat(samples, sessionLimits);
}, 120_000);
