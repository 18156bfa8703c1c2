import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MISTAKES } from './mutants/mistakes.js';
import { MUTANTS } from './mutants/mutants.js';
import { calmPlan } from './testing/calm-plan.js';
import { LONG_MS, outcomesIn, toldOf, useSimulator } from './testing/told-of.js';
import { bundle } from './tools/bundle.js';

const { directory, program, written } = useSimulator();

it(
  'keeps all promises in more stories than `npm test` plays',
  async () => {
    const told = await toldOf(program, { seed: 1_001, seeds: 20 }, { wishes: {}, twiceEvery: 50 });
    const outcomes = outcomesIn(told);
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes).toHaveLength(20);
    expect(outcomes.some(({ foreign }) => foreign > 10)).toBe(true);
    expect(outcomes.some(({ snapshots }) => snapshots > 0)).toBe(true);
  },
  LONG_MS,
);

it(
  'finds a mistake in the locks, and reports it as a reduced story in sentences',
  async () => {
    const mutated = join(directory, 'mutant.cjs');
    await bundle(
      mutated,
      MUTANTS.find(({ name }) => name === 'lease deadline ignored'),
    );
    const faults = ['cut off from all servers', 'process stopped'];
    const wishes = { voters: 1, workMs: 6_000, idleMs: 100, faults };
    const job = {
      wishes,
      stopsAtViolation: true,
      shrinkMs: 1e9,
      shrinkStories: 20,
      twiceEvery: 100,
    };
    const told = await toldOf(mutated, { seed: 1, seeds: 50 }, job);
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
    expect(sentences.join(' ')).toMatch(
      /A fault begins: (process stopped|cut off from all servers) \(\w+\.\d\), for \d+ ms\./,
    );
    expect(sentences.join(' ')).toMatch(
      /is granted (permits|.* by its node …\d{10}).*: grant \d+\./,
    );
  },
  LONG_MS,
);

it(
  'detects a simulator that keeps past stories in memory',
  async () => {
    const leaking = join(directory, 'leaking.cjs');
    const from = 'async start(';
    await bundle(leaking, {
      ...{ name: 'remembers all locks', file: 'facade/locks.ts', from },
      to: `readonly remembered = ((globalThis as any).all ??= []).push(this);\n${from}`,
    });
    const job = {
      memoryEvery: 10,
      stopsAtViolation: true,
      wishes: { voters: 1, workMs: 50, calm: true },
    };
    const promisesOf = async (played: string): Promise<string[]> => {
      const told = await toldOf(played, { seed: 1, seeds: 30 }, job);
      return told.flatMap((one) =>
        one.type === 'outcome' ? one.outcome.violations.map(({ promise }) => promise) : [],
      );
    };
    expect(await promisesOf(program)).toEqual([]);
    expect(await promisesOf(leaking)).toContain('memory');
  },
  LONG_MS,
);

it.each(MISTAKES)(
  'finds a planted mistake: $name',
  async ({ promise, work, ...mutant }) => {
    const mutated = join(directory, `${mutant.name.replaceAll(' ', '-')}.cjs`);
    await bundle(mutated, mutant);
    const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
    const plan = written(seeds.map((seed) => calmPlan(work, { seed, workMs: 2_000 })));
    const told = await toldOf(mutated, { seed: 0, seeds: 99 }, { plan, stopsAtViolation: true });
    const broken = outcomesIn(told).flatMap(({ violations }) => violations);
    expect(broken.map((one) => one.promise)).toContain(promise);
  },
  LONG_MS,
);
