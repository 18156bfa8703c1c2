import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { PLANTS } from './faults/plants.js';
import { drawPlan } from './plan/draw-plan.js';
import type { Job, Told } from './program.js';
import type { Outcome } from './story/play.js';
import { bundle } from './tools/bundle.js';
import { runJobs } from './tools/run-jobs.js';

/** Some seconds of a core, on a machine that is busy. */
const LONG_MS = 240_000;
/** The seed of a story with one server, in which nothing goes wrong. */
const SEED = 1;

const names = Object.keys(PLANTS);
const directory = makeTempDir('simulation');
const outcomes: Omit<Outcome, 'lines' | 'story'>[] = [];

/** A calm story, and the same one for each violation that is planted in it. */
function plans() {
  const drawn = drawPlan(SEED, { calm: true, voters: 1, workMs: 500, idleMs: 50 });
  const options = { ...drawn.replicas[0]!.options, dialect: 'curator-rw', cohort: undefined };
  const replicas = drawn.replicas
    .slice(0, 2)
    .map((one) => ({ ...one, options, tasks: { write: 1 } }));
  const calm = { ...drawn, keys: ['a'], replicas };
  const plant = { at: 250, ms: 0, target: 0, choices: [] };
  return [calm, ...names.map((kind) => ({ ...calm, faults: [{ ...plant, kind }] }))];
}

beforeAll(async () => {
  const program = join(directory, 'simulator.cjs');
  const plan = join(directory, 'plans.json');
  writeFileSync(plan, JSON.stringify(plans()));
  await bundle(program);
  const job: Job = {
    ...{ firstSeed: SEED, step: 1, seeds: 1, forMs: LONG_MS, forSimulatedMs: LONG_MS * 1_000 },
    ...{ stopsAtViolation: false, keepsLog: false, twiceEvery: 1, wishes: {}, plan },
  };
  await runJobs(program, [job], (told: Told) => {
    if (told.type === 'outcome') outcomes.push(told.outcome);
  });
}, LONG_MS);

afterAll(() => removeTempDir(directory));

it('in a story without faults, no check finds anything', () => {
  expect(outcomes[0]?.violations).toEqual([]);
  expect(outcomes[0]?.grants).toBeGreaterThan(5);
});

it.each(names)('a violation that is planted is found: %s', (name) => {
  const { violations = [] } = outcomes[1 + names.indexOf(name)] ?? {};
  const [promise = '', part = ''] = name.split(': ');
  const found = violations.filter((violation) => violation.promise === promise);
  expect(found.map(({ message }) => message)).toContainEqual(expect.stringContaining(part));
});
