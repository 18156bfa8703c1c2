import { describe, expect, it } from 'vitest';
import { CONTENDERS } from '../contenders/contenders.js';
import type { Entry, Sample, WorkloadResult } from '../measure/results.js';
import { WORKLOADS } from '../workloads/workloads.js';
import { goalRows } from './document.js';
import { GOALS, reached } from './goals.js';

const entry = (contender: string, sample: Sample): Entry => ({
  contender,
  warmUp: [],
  samples: [sample],
});

const workload = (name: string, ...entries: Entry[]): WorkloadResult => ({
  workload: name,
  entries,
  loads: [],
});

const row = (what: string, ...workloads: WorkloadResult[]): string[] | undefined =>
  goalRows({ workloads, failures: [] }).find(([name]) => name === what);

describe('goals', () => {
  it('show the goal, the current figure, and whether it is met', () => {
    const own = workload(
      'own keys, 64 tasks',
      entry('ours-wire', { perSecond: 900, cpuMicrosPerCycle: 25.5 }),
      entry('raw-batch', { perSecond: 100 }),
    );
    expect(row('own keys, 64 tasks: × raw-batch', own)?.slice(1)).toEqual(['≥ 0.5', '9.00', 'yes']);
    const cpu = row('own keys, 64 tasks: CPU per cycle, µs', own);
    expect(cpu?.slice(1)).toEqual(['≤ 25', '25.5', '**no**']);
  });

  it('are open if the workload or the peer was not measured', () => {
    const alone = workload('own keys, 64 tasks', entry('ours-wire', { perSecond: 900 }));
    expect(row('own keys, 64 tasks: × raw-batch', alone)?.slice(2)).toEqual(['–', '–']);
    expect(row('own key, 1 task: × raw-socket', alone)?.slice(2)).toEqual(['–', '–']);
  });

  it('name existing workloads, contenders and figures', () => {
    const sample = {
      ...{ perSecond: 1, visitorAcquireP99: 1, stallMs: 1, heapBytes: 1, cpuMicrosPerCycle: 1 },
      ...{ heldBytes: 1, releasedBytes: 1, permitsCpuMs: 1 },
    };
    const ours = CONTENDERS.find(({ name }) => name === 'ours-wire')!;
    const contenders = [...CONTENDERS, { ...ours, name: 'before' }];
    const workloads = WORKLOADS.map((one) =>
      workload(
        one.name,
        ...contenders.filter((each) => one.suits(each)).map(({ name }) => entry(name, sample)),
      ),
    );
    const open = GOALS.filter((goal) => reached(goal, { workloads, failures: [] }) === undefined);
    expect(open).toEqual([]);
  });
});
