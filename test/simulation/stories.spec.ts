import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import type { Job, Told } from './program.js';
import { bundle } from './tools/bundle.js';
import { runJobs } from './tools/run-jobs.js';

/** Some seconds of a core, on a machine that is busy. */
const LONG_MS = 240_000;

const directory = makeTempDir('simulation');
const program = join(directory, 'simulator.cjs');

beforeAll(() => bundle(program), LONG_MS);
afterAll(() => removeTempDir(directory));

async function outcomesOf(seed: number, seeds: number, job: Partial<Job> = {}) {
  const told: Told[] = [];
  const whole: Job = {
    ...{ firstSeed: seed, step: 1, seeds, forMs: LONG_MS, forSimulatedMs: LONG_MS * 1_000 },
    ...{ stopsAtViolation: false, shrinkMs: 0, keepsLog: false, twiceEvery: seeds },
    wishes: { workMs: 4_000, voters: 3 },
    ...job,
  };
  await runJobs(program, [whole], (one) => told.push(one));
  return told.flatMap((one) => (one.type === 'outcome' ? [one.outcome] : []));
}

it(
  'in simulated stories, all promises are kept, and the same plan gives the same story',
  async () => {
    const outcomes = await outcomesOf(1, 4);
    expect(outcomes.map(({ violations }) => violations)).toEqual([[], [], [], []]);
    expect(Math.min(...outcomes.map(({ grants }) => grants))).toBeGreaterThan(10);
    const again = await outcomesOf(4, 1);
    expect(again[0]?.digest).toBe(outcomes[3]?.digest);
  },
  LONG_MS,
);
