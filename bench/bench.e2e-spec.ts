import { beforeAll, describe, expect, it } from 'vitest';
import { bench } from './bench.js';
import { CONTENDERS } from './contenders/contenders.js';
import type { Failure, Results, Sample } from './measure/results.js';
import { WORKLOADS } from './workloads/workloads.js';

const SECONDS = 0.1;
const OWN = 'own keys, 16 tasks';
const LINE = '10 waiters';

/** The rounds are too short for meaningful figures, but the figures must be consistent. */
describe('npm run bench', () => {
  const rounds: string[] = [];
  const failures: Failure[] = [];
  let results: Results;

  const sample = (workload: string): Sample => {
    const found = results.workloads.find((result) => result.workload === workload)?.entries[0]
      ?.samples;
    expect(found).toHaveLength(1);
    return found![0]!;
  };

  beforeAll(async () => {
    results = await bench(
      {
        workloads: WORKLOADS.filter(({ name }) => [OWN, LINE].includes(name)),
        contenders: CONTENDERS.filter(({ name }) => name === 'ours'),
        ...{ rounds: 1, seconds: SECONDS },
      },
      {
        onRound: ({ name }, contender, round) =>
          rounds.push(`${name}, ${contender.name}, ${round}`),
        onResult: () => {},
        onFailure: (failure) => failures.push(failure),
      },
    );
  }, 120_000);

  it('warms up workloads that have rounds, and fails in none of them', () => {
    expect(failures).toEqual([]);
    expect(rounds).toEqual([`${OWN}, ours, 0`, `${OWN}, ours, 1`, `${LINE}, ours, 1`]);
  });

  it('counts what was done within the time', () => {
    const figures = sample(OWN);
    const inTime = figures.perSecond! * SECONDS;
    expect(inTime).toBeCloseTo(Math.round(inTime), 6);
    expect(figures.cycleP50).toBeGreaterThan(figures.acquireP50!);
    expect(figures.cycleP99).toBeGreaterThanOrEqual(figures.cycleP50!);
    expect(figures.fairness ?? 1).toBeGreaterThanOrEqual(1 / 16);
    expect(figures.fairness ?? 1).toBeLessThanOrEqual(1);
    const entries = results.workloads.find(({ workload }) => workload === OWN)?.entries;
    expect(entries?.[0]?.warmUp.length).toBeGreaterThanOrEqual(3);
  });

  it('counts the cost of a hand-over', () => {
    const figures = sample(LINE);
    expect(figures.events).toBeCloseTo(1, 6);
    expect(figures.requests).toBeGreaterThanOrEqual(1);
    expect(figures.requests).toBeLessThan(10);
    expect(figures.bytes).toBeGreaterThan(100);
    expect(figures.watches).toBeGreaterThanOrEqual(1);
    expect(figures.handOverMs! * figures.perSecond!).toBeCloseTo(1_000, 3);
    expect(figures.handOverP99).toBeGreaterThanOrEqual(figures.handOverMs!);
  });
});
