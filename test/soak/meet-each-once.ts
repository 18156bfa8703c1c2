import type { ClientName } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { type Configuration, USUAL } from './configuration/configuration.js';
import { type Fault, suits } from './nemesis/fault.js';
import { roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

/** Any other will do; the same choices are made in each run. */
const SEED = 20_261_123;

/** No promise is broken under any of these faults, each of which happens once. */
export function testPromisesUnder(what: string, all: readonly Fault[], client: ClientName): void {
  const configuration = { ...USUAL, client };
  // Those that need a rarer configuration are met by the long run.
  const faults = all.filter((fault) => suits(fault, configuration));
  // On a busy machine.
  const timeout = 120_000 + faults.length * 30_000;
  it(`keeps every promise under each of ${faults.length} faults of ${what}`, { timeout }, () =>
    meetEachOnce(faults, configuration),
  );
}

async function meetEachOnce(faults: readonly Fault[], configuration: Configuration): Promise<void> {
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
