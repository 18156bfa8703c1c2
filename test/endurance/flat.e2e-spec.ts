import { expect, it } from 'vitest';
import { endureCycles, endureSessions, QUIET_WITHIN_MS } from './endurance.js';
import { samplesTable } from './report.js';
import type { Sample } from './sample.js';
import { cycleLimits, judge, type Limits, sessionLimits } from './verdict.js';
import { cycleKinds } from './worker/protocol.js';

/** What V8 learns about code weighs little among them. The long run is `npm run endurance`. */
const CYCLES = 8_000;
const CYCLE_PAUSES = 6;
const SESSIONS = 12;
const SESSION_PAUSES = 4;
const SEED = 1;

/** From one pause to the next, which takes three to five seconds on an idle machine. */
const STEP_WITHIN_MS = 60_000;
/** The server's Java and the worker, each of which has as much itself. */
const START_WITHIN_MS = 90_000;

/** Never reached by a run that goes on: each step, and each pause, has a deadline of its own. */
const withinPauses = (pauses: number): number =>
  START_WITHIN_MS + (pauses + 1) * (STEP_WITHIN_MS + QUIET_WITHIN_MS);

function expectFlat(samples: readonly Sample[], limits: Limits): void {
  const leaks = judge(samples, limits).filter(({ isFlat }) => !isFlat);
  expect(leaks, samplesTable(samples)).toEqual([]);
}

it(
  'keeps memory and handles flat while locks are taken and given back',
  async () => {
    const samples = await endureCycles({
      cycles: CYCLES,
      kinds: cycleKinds,
      tasks: 64,
      pauses: CYCLE_PAUSES,
      stepWithinMs: STEP_WITHIN_MS,
      seed: SEED,
    });
    expect(samples.at(-1)?.done, samplesTable(samples)).toBe(CYCLES);
    expectFlat(samples, cycleLimits);
  },
  withinPauses(CYCLE_PAUSES),
);

it(
  'keeps memory and handles flat while session after session is lost',
  async () => {
    const samples = await endureSessions({
      sessions: SESSIONS,
      pauses: SESSION_PAUSES,
      stepWithinMs: STEP_WITHIN_MS,
      seed: SEED,
    });
    expect(samples.at(-1)?.done, samplesTable(samples)).toBe(SESSIONS);
    expectFlat(samples, sessionLimits);
  },
  withinPauses(SESSION_PAUSES),
);
