import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import type { Job, Told } from './program.js';
import { MUTANTS } from '../soak/mutants/mutants.js';
import { bundle } from './tools/bundle.js';
import { runJobs } from './tools/run-jobs.js';

/** Some seconds of a core, on a machine that is busy. */
const LONG_MS = 240_000;

const directory = makeTempDir('simulation');
const program = join(directory, 'simulator.cjs');

beforeAll(() => bundle(program), LONG_MS);
afterAll(() => removeTempDir(directory));

async function toldOf(
  seed: number,
  seeds: number,
  job: Partial<Job> = {},
  played = program,
): Promise<Told[]> {
  const told: Told[] = [];
  const whole: Job = {
    ...{ firstSeed: seed, step: 1, seeds, forMs: LONG_MS, forSimulatedMs: LONG_MS * 1_000 },
    ...{
      stopsAtViolation: false,
      shrinkMs: 0,
      keepsLog: false,
      twiceEvery: seeds,
      memoryEvery: 1_000,
    },
    wishes: { workMs: 4_000, voters: 3 },
    ...job,
  };
  await runJobs(played, [whole], (one) => told.push(one));
  return told;
}

async function outcomesOf(seed: number, seeds: number, job: Partial<Job> = {}) {
  const told = await toldOf(seed, seeds, job);
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

const kept = fileURLToPath(new URL('./kept/', import.meta.url));

it.each(readdirSync(kept))(
  'a plan that failed once is played without a violation: %s',
  async (file) => {
    const [outcome] = await outcomesOf(0, 1, { plan: join(kept, file) });
    expect(outcome?.violations).toEqual([]);
  },
  LONG_MS,
);

it(
  'a mistake in the locks is found, and told in sentences of a story from which much was taken away',
  async () => {
    const mutated = join(directory, 'mutant.cjs');
    await bundle(
      mutated,
      MUTANTS.find(({ name }) => name === 'lease deadline ignored'),
    );
    const faults = ['cut off from all servers', 'process stopped'];
    const wishes = { voters: 1, workMs: 12_000, idleMs: 100, faults };
    const job = { wishes, stopsAtViolation: true, shrinkMs: 8_000, twiceEvery: 100 };
    const told = await toldOf(1, 50, job, mutated);
    const failure = told.find((one) => one.type === 'failure');
    expect(failure?.takenAway).toMatch(/^Taken away: (?!0 of \d+ faults, 0 of .* 0 of \d+ ms)/);
    const { story = [], violations = [] } = failure?.outcome ?? {};
    const [violation] = violations;
    const end = `VIOLATION ${violation?.promise ?? ''}: ${violation?.message ?? ''}`;
    expect(story).toContain(end);
    const sentences = story.slice(0, story.indexOf(end));
    expect(sentences.length).toBeGreaterThan(2);
    for (const [place, sentence] of sentences.entries()) {
      expect(sentence).toMatch(/^ *\d+\. \d+\.\d{3} s {2}[A-Z].*\.$/);
      expect(Number.parseInt(sentence)).toBe(place + 1);
    }
    expect(sentences.join(' ')).toMatch(/is stopped for|is blocked for/);
    expect(sentences.join(' ')).toMatch(/is granted .* by its node …\d{10}/);
  },
  LONG_MS,
);

it(
  'a simulator that remembers stories which are over is found',
  async () => {
    const leaking = join(directory, 'leaking.cjs');
    const from = 'async start(';
    await bundle(leaking, {
      ...{ name: 'remembers all locks', file: 'src/locks.ts', from, faults: [] },
      to: `readonly remembered = ((globalThis as any).all ??= []).push(this);\n${from}`,
    });
    const job = { memoryEvery: 10, wishes: { voters: 1, workMs: 50, calm: true } };
    const promisesOf = async (played: string): Promise<string[]> => {
      const told = await toldOf(1, 30, job, played);
      return told.flatMap((one) =>
        one.type === 'outcome' ? one.outcome.violations.map(({ promise }) => promise) : [],
      );
    };
    expect(await promisesOf(program)).toEqual([]);
    expect(await promisesOf(leaking)).toContain('memory');
  },
  LONG_MS,
);
