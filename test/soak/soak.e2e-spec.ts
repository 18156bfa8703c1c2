import { expect, it } from 'vitest';
import { FAULTS } from './nemesis/catalog.js';
import { roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

/** Any other will do; the same choices are made in each run. */
const SEED = 20_261_121;

it(`keeps every promise under each of ${FAULTS.length} faults, seed ${SEED}`, async () => {
  const report = await soak({
    ...{ seed: SEED, faults: FAULTS },
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
}, 300_000);
