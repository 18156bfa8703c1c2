import { USUAL } from '../configuration/configuration.js';
import { FAULTS } from '../nemesis/catalog.js';
import { soak } from '../soak.js';
import { buildMutant } from './build-mutant.js';
import { findByTest } from './find-by-test.js';
import type { Mutant } from './mutant.js';

/** How long a mutant may go undetected. */
const MINUTES = 2;

export interface MutantReport {
  readonly mutant: Mutant;
  /** The violation that revealed it; absent if it was not found. */
  readonly evidence?: string;
  readonly rounds: number;
}

/** Runs the faults, or the test, that should reveal a mutant. */
export async function tryMutant(mutant: Mutant, seed: number): Promise<MutantReport> {
  if (mutant.test !== undefined) return { mutant, ...findByTest(mutant, mutant.test), rounds: 1 };
  const program = await buildMutant(mutant);
  const faults = FAULTS.filter(({ name }) => mutant.faults.some((text) => name.includes(text)));
  const { rounds, leftovers } = await soak({
    ...{ seed, faults, program },
    configuration: { ...USUAL, cohorts: false, keepMs: 0, ...mutant.configuration },
    minutes: MINUTES,
    untilViolation: true,
  });
  const [violation] = [...rounds.flatMap((round) => round.violations), ...leftovers];
  const report = { mutant, rounds: rounds.length };
  if (!violation) return report;
  return { ...report, evidence: `${violation.promise}: ${violation.message}` };
}
