import { expect, it } from 'vitest';
import { endureCycles, endureSessions, QUIET_WITHIN_MS } from './endurance.js';
import { cycleLimits, leaksIn, sessionLimits, table } from './verdict.js';

/** What V8 learns about code weighs little among so many cycles. The long run is `npm run endurance`. */
const RUNS = [
  ['locks are taken and given back', endureCycles, { steps: 5_000, pauses: 5 }, cycleLimits],
  ['session after session is lost', endureSessions, { steps: 8, pauses: 4 }, sessionLimits],
] as const;

/** From one pause to the next, which takes three to five seconds on an idle machine. */
const STEP_WITHIN_MS = 60_000;
/** The server's Java and the worker, each of which has as much itself. */
const START_WITHIN_MS = 90_000;
/** Never reached by a run that goes on: each step, and each pause, has a deadline of its own. */
const TIMEOUT_MS = START_WITHIN_MS + 7 * (STEP_WITHIN_MS + QUIET_WITHIN_MS);

it.each(RUNS)(
  'keeps memory and handles flat while %s',
  async (_what, endure, options, limits) => {
    const samples = await endure({ ...options, stepWithinMs: STEP_WITHIN_MS, seed: 1 });
    expect(leaksIn(samples, limits), table(samples)).toEqual([]);
  },
  TIMEOUT_MS,
);
