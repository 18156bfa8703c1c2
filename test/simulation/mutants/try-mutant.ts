import { join } from 'node:path';
import type { Violation } from '../../soak/history/history.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import type { Told } from '../program.js';
import { bundle } from '../tools/bundle.js';
import { runJobs } from '../tools/run-jobs.js';
import { findByTest } from './find-by-test.js';
import type { Mutant } from './mutant.js';
import { MUTANTS } from './mutants.js';

/** The simulation's result for one mutant. */
interface MutantReport {
  /** The CPU time of the search, in seconds. */
  readonly seconds: number;
  readonly stories: number;
  /** The first broken promise and the seed of its story; absent if none was broken. */
  readonly found?: { readonly seed: number; readonly violation: Violation };
}

export interface Search {
  readonly firstSeed: number;
  /** The CPU time to search for, in seconds. */
  readonly seconds: number;
}

/** On a busy machine, a second of CPU time may take this many seconds. */
const BUSY = 20;

/**
 * Searches for each mutant whose name contains `text`.
 *
 * @returns whether each was found
 */
export async function tryMutants(
  text: string,
  search: Search,
  print: (line: string) => void,
): Promise<boolean> {
  const mutants = MUTANTS.filter(({ name }) => text === 'all' || name.includes(text));
  if (mutants.length === 0) throw new Error(`--mutant: no name contains "${text}"`);
  let survivors = 0;
  for (const mutant of mutants) {
    const { evidence, effort } = await find(mutant, search);
    if (evidence === undefined) survivors++;
    const verdict = evidence === undefined ? 'SURVIVED' : 'found   ';
    print(`${verdict} ${mutant.name} (${effort})\n    ${evidence ?? ''}`);
  }
  print(`${mutants.length} mutants, ${survivors} survived`);
  return survivors === 0;
}

/** Searches with stories, or with the mutant's test if stories cannot reveal the mistake. */
async function find(
  mutant: Mutant,
  search: Search,
): Promise<{ readonly evidence?: string | undefined; readonly effort: string }> {
  let effort = 'no stories';
  if (mutant.untold === undefined) {
    const { seconds, stories, found } = await tryMutant(mutant, search);
    effort = `${seconds.toFixed(1)} s, ${String(stories)} stories`;
    const { seed, violation } = found ?? {};
    if (violation)
      return { evidence: `seed ${seed}, ${violation.promise}: ${violation.message}`, effort };
  }
  const { test } = mutant;
  if (test === undefined) return { effort };
  return { ...findByTest(mutant, test), effort: `${effort}, ${test}` };
}

/** Plays stories until a promise is broken or the time is up. */
async function tryMutant(mutant: Mutant, { firstSeed, seconds }: Search): Promise<MutantReport> {
  const directory = makeTempDir('mutant');
  try {
    const program = join(directory, 'simulator.cjs');
    await bundle(program, mutant);
    const told: Told[] = [];
    const job = {
      ...{ firstSeed, step: 1, seeds: Number.MAX_SAFE_INTEGER, wishes: {} },
      ...{ forMs: BUSY * seconds * 1_000, forCpuMs: seconds * 1_000, stopsAtViolation: true },
      ...{ forSimulatedMs: Number.MAX_SAFE_INTEGER, twiceEvery: Number.MAX_SAFE_INTEGER },
    };
    await runJobs(program, [job], (one) => told.push(one));
    return reportOf(told);
  } finally {
    removeTempDir(directory);
  }
}

function reportOf(told: readonly Told[]): MutantReport {
  const outcomes = told.flatMap((one) => (one.type === 'outcome' ? [one.outcome] : []));
  const cpuMs = told.reduce((sum, one) => sum + (one.type === 'end' ? one.cpuMs : 0), 0);
  const report = { seconds: cpuMs / 1_000, stories: outcomes.length };
  const last = outcomes.at(-1);
  const [violation] = last?.violations ?? [];
  return last && violation ? { ...report, found: { seed: last.seed, violation } } : report;
}
