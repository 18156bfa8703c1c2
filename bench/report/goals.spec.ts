import { describe, expect, it } from 'vitest';
import type { Contender } from '../contenders/contender.js';
import { CONTENDERS } from '../contenders/contenders.js';
import type { Entry, WorkloadResult } from '../measure/results.js';
import { WORKLOADS } from '../workloads/workloads.js';
import { type Goal, goalsOf, isReached } from './goals.js';

const entry = (contender: string, figures: Record<string, number>): Entry => ({
  contender,
  samples: [{ figures, acquire: { '0': 1 } }],
});

const workload = (name: string, ...entries: Entry[]): WorkloadResult => ({
  workload: name,
  entries,
});

const contender = (name: string, ours: Contender['ours']): Contender => ({
  ...CONTENDERS[0]!,
  ...(ours && { ours }),
  name,
});

const contenders = [
  contender('ours', 'strict'),
  contender('ours-wire', 'strict'),
  contender('ours-cohort', 'cohort'),
];

function goal(what: string, ...workloads: WorkloadResult[]): Goal {
  const found = goalsOf({ workloads, failures: [] }, contenders).find((each) => each.what === what);
  if (!found) throw new Error(`no goal ${what}`);
  return found;
}

describe('goals', () => {
  const rates = workload(
    'one key, 64 tasks',
    entry('ours', { perSecond: 1_000 }),
    entry('ours-wire', { perSecond: 1_500 }),
    entry('ours-cohort', { perSecond: 60_000 }),
    entry('curator', { perSecond: 100 }),
    entry('curator-shared', { perSecond: 10 }),
  );

  it('are reached by the best variant of their kind', () => {
    const strict = goal('one key, 64 tasks, strict order: × Curator, an object each', rates);
    expect(strict.reached).toBe(15);
    expect(isReached(strict)).toBe(true);
    expect(goal('one key, 64 tasks, cohorts: × Curator, an object each', rates).reached).toBe(600);
    expect(goal('one key, 64 tasks, cohorts: × Curator, one object', rates).reached).toBe(6_000);
  });

  it('are open where the workload or the peer was not measured', () => {
    const open = goal('one key, 64 tasks, strict order: × kazoo', rates);
    expect(open.reached).toBeUndefined();
    expect(isReached(open)).toBeUndefined();
  });

  it('compare a long line with a short one of the same variant', () => {
    const long = workload('10,000 waiters', entry('ours', { bytes: 900, heapBytes: 4_096 }));
    const short = workload('10 waiters', entry('ours', { bytes: 300 }));
    const growth = goal('10,000 waiters: bytes per hand-over, × 10 waiters', long, short);
    expect(growth.reached).toBe(3);
    expect(isReached(growth)).toBe(false);
    expect(goal('10,000 waiters: KB on the heap per waiter', long).reached).toBe(4);
  });

  it('are of workloads and contenders that there are', () => {
    const everything = WORKLOADS.map(({ name }) => {
      const figures = { perSecond: 1, bytes: 1, handOverMs: 1, heapBytes: 1 };
      return workload(name, ...CONTENDERS.map((one) => entry(one.name, figures)));
    });
    const cohort = contender('ours-cohort', 'cohort');
    const all = everything.map((result) => ({
      ...result,
      entries: [...result.entries, entry(cohort.name, { perSecond: 1 })],
    }));
    const goals = goalsOf({ workloads: all, failures: [] }, [...CONTENDERS, cohort]);
    expect(goals.filter(({ reached }) => reached === undefined)).toEqual([]);
  });
});
