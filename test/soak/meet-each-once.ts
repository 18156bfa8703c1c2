import { expect } from 'vitest';
import type { Configuration } from './configuration/configuration.js';
import type { Fault } from './nemesis/fault.js';
import { roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

/** Any other will do; the same choices are made in each run. */
const SEED = 20_261_123;

/** For a test of these faults on a busy machine, in milliseconds. */
export function timeoutMsFor(faults: readonly Fault[]): number {
  return 120_000 + faults.length * 30_000;
}

/** No promise is broken under any of these faults, each of which happens once. */
export async function meetEachOnce(
  faults: readonly Fault[],
  configuration: Configuration,
): Promise<void> {
  const report = await soak({
    ...{ seed: SEED, faults, configuration },
    // Where it takes too long, this is what is left of it.
    onRound: (round) => process.stdout.write(`${roundLine(round)}\n`),
  });
  const { rounds, leftovers } = report;
  expect(rounds.filter(({ violations }) => violations.length > 0).map(roundLine)).toEqual([]);
  expect(leftovers).toEqual([]);
  // A run in which nobody was granted anything, or lost anything, would have shown nothing.
  for (const { fault, grants } of rounds) {
    const count = [...grants.values()].reduce((sum, one) => sum + one, 0);
    expect(count, fault).toBeGreaterThan(0);
  }
  expect(rounds.flatMap(({ marginsMs }) => marginsMs).length, summary(report)).toBeGreaterThan(0);
}
