import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { LONG_MS, outcomesIn, toldOf } from './testing/told-of.js';
import { bundle } from './tools/bundle.js';

const directory = makeTempDir('simulation');
const program = join(directory, 'simulator.cjs');

beforeAll(() => bundle(program), LONG_MS);
afterAll(() => removeTempDir(directory));

it(
  'in simulated stories, all promises are kept, and the same plan gives the same story',
  async () => {
    const outcomes = outcomesIn(await toldOf(program, { seed: 1, seeds: 12 }));
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes.filter(({ grants }) => grants > 10).length).toBeGreaterThan(6);
    const again = outcomesIn(await toldOf(program, { seed: 4, seeds: 1 }));
    expect(again[0]?.digest).toBe(outcomes[3]?.digest);
  },
  LONG_MS,
);

const kept = fileURLToPath(new URL('./kept/', import.meta.url));

it(
  'plans that failed once are played without a violation',
  async () => {
    const files = readdirSync(kept);
    const plans = files.map(
      (file) => JSON.parse(readFileSync(join(kept, file), 'utf8')) as unknown,
    );
    const plan = join(directory, 'plans.json');
    writeFileSync(plan, JSON.stringify(plans));
    const outcomes = outcomesIn(await toldOf(program, { seed: 0, seeds: 1 }, { plan }));
    const found = outcomes.map(({ violations }, place) => [files[place], violations]);
    expect(found).toEqual(files.map((file) => [file, []]));
  },
  LONG_MS,
);
