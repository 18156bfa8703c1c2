import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { PLANTS } from './faults/plants.js';
import type { Job } from './program.js';
import { calmPlan } from './testing/calm-plan.js';
import { LONG_MS, outcomesIn, toldOf, useSimulator } from './testing/told-of.js';

const { program, written } = useSimulator();

it(
  'keeps all promises in simulated stories, and plays the same plan in the same way',
  async () => {
    const outcomes = outcomesIn(await toldOf(program, { seed: 1, seeds: 3 }));
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes.filter(({ grants }) => grants > 10).length).toBeGreaterThan(1);
    const again = outcomesIn(await toldOf(program, { seed: 2, seeds: 1 }));
    expect(again[0]?.digest).toBe(outcomes[1]?.digest);
  },
  LONG_MS,
);

/** Plays given plans. */
const played = async (plans: readonly unknown[], job: Partial<Job> = {}) =>
  outcomesIn(await toldOf(program, { seed: 0, seeds: 1 }, { ...job, plan: written(plans) }));

const kept = fileURLToPath(new URL('./kept/', import.meta.url));

it(
  'plays plans that failed once without a violation',
  async () => {
    const files = readdirSync(kept);
    const outcomes = await played(
      files.map((file) => JSON.parse(readFileSync(join(kept, file), 'utf8')) as unknown),
      { twiceEvery: files.length + 1 },
    );
    const found = outcomes.map(({ violations }, place) => [files[place], violations]);
    expect(found).toEqual(files.map((file) => [file, []]));
  },
  LONG_MS,
);

it.each(['lock directory deleted', 'root deleted'])(
  'tells a holder of its loss and grants others the lock: %s',
  async (kind) => {
    const upon = { moment: 'entered', afterMs: 1 };
    const fault = {
      kind,
      at: 250,
      ms: 100,
      target: 0,
      clingMs: 1_000,
      choices: [0, 999, 0, 0],
      upon,
    };
    const calm = calmPlan({ tasks: { write: 1 } }, { workMs: 3_000 });
    const [outcome] = await played([{ ...calm, faults: [fault] }]);
    expect(outcome?.violations).toEqual([]);
    expect(outcome?.losses).toBeGreaterThan(0);
    expect(outcome?.grants).toBeGreaterThan(5);
  },
  LONG_MS,
);

describe('a planted violation', () => {
  const names = Object.keys(PLANTS);
  let outcomes: Awaited<ReturnType<typeof played>>;

  /** One calm story, and the same story with each planted violation. */
  beforeAll(async () => {
    const calm = calmPlan({ tasks: { write: 1 } });
    const plant = { at: 250, ms: 0, target: 0, choices: [] };
    const plans = names.map((kind) => ({ ...calm, faults: [{ ...plant, kind }] }));
    outcomes = await played([calm, ...plans], { twiceEvery: 1, shrinkMs: undefined });
  }, LONG_MS);

  it('is absent from a calm story', () => {
    expect(outcomes[0]?.violations).toEqual([]);
    expect(outcomes[0]?.grants).toBeGreaterThan(5);
  });

  it.each(names)('is found: %s', (name) => {
    const { violations = [] } = outcomes[1 + names.indexOf(name)] ?? {};
    const [promise = '', part = ''] = name.split(': ');
    const found = violations.filter((violation) => violation.promise === promise);
    expect(found.map(({ message }) => message)).toContainEqual(expect.stringContaining(part));
  });
});
