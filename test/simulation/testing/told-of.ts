import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import type { Job, Told } from '../program.js';
import { bundle } from '../tools/bundle.js';
import { runJobs } from '../tools/run-jobs.js';

/** A guard against hangs: the simulation takes a few seconds of CPU time. */
export const LONG_MS = 600_000;

/** Bundles the simulator for the tests of a file, and gives them a temporary directory. */
export function useSimulator() {
  const directory = makeTempDir('simulation');
  const program = join(directory, 'simulator.cjs');
  beforeAll(() => bundle(program), LONG_MS);
  afterAll(() => removeTempDir(directory));
  /** Writes plans to a file. */
  const written = (plans: readonly unknown[]): string => {
    const file = join(directory, 'plans.json');
    writeFileSync(file, JSON.stringify(plans));
    return file;
  };
  return { directory, program, written };
}

/** Plays stories in one process of the simulator. */
export async function toldOf(
  program: string,
  { seed, seeds }: { readonly seed: number; readonly seeds: number },
  job: Partial<Job> = {},
): Promise<Told[]> {
  const told: Told[] = [];
  const whole: Job = {
    ...{ firstSeed: seed, step: 1, seeds, forMs: 1e9, forSimulatedMs: 1e9 },
    ...{ stopsAtViolation: false, shrinkMs: 0, twiceEvery: seeds },
    wishes: { workMs: 4_000, voters: 3 },
    ...job,
  };
  await runJobs(program, [whole], (one) => told.push(one));
  return told;
}

export function outcomesIn(told: readonly Told[]) {
  return told.flatMap((one) => (one.type === 'outcome' ? [one.outcome] : []));
}
