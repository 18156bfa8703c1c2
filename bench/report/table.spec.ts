import { describe, expect, it } from 'vitest';
import type { Entry, WorkloadResult } from '../measure/results.js';
import { RATIO, THROUGHPUT_COLUMNS, acquireIn } from './column.js';
import { aligned, markdown, ratioRows, referenceOf, workloadRows } from './table.js';

/** @param rates per second, by round; null for a round that failed */
function entry(contender: string, ...rates: (number | undefined)[]): Entry {
  const samples = rates.map((perSecond) =>
    perSecond === undefined
      ? null
      : { perSecond, fairness: 1, acquireP50: 1.01, acquireP99: 3.03, cycleP50: 2, cycleP99: 2 },
  );
  return { contender, warmUp: [], samples };
}

const result = (...entries: Entry[]): WorkloadResult => ({ workload: 'w', entries, loads: [] });

describe('the reference', () => {
  it('is Curator, or the first contender if Curator cannot do the work', () => {
    const [ours, curator] = [entry('ours', 1), entry('curator', 1)];
    expect(referenceOf(result(ours, curator))).toBe(curator);
    expect(referenceOf(result(ours, entry('kazoo', 1)))).toBe(ours);
    expect(referenceOf(result())).toBeUndefined();
  });
});

describe('the table of a workload', () => {
  const rows = (...entries: Entry[]) =>
    workloadRows({ columns: THROUGHPUT_COLUMNS } as never, result(...entries));

  it('shows the median, the ratio with its smallest and largest, and the latencies', () => {
    const [head, ours, curator] = rows(
      entry('ours', 300, 4_000, 100),
      entry('curator', 100, 1_000, 50),
    );
    expect(head).toEqual([
      ...['contender', 'cycles/s', '× curator', 'acquire p50', 'p99', 'cycle p50', 'p99'],
      ...['fairness', 'CPU per cycle'],
    ]);
    expect(ours).toEqual([
      ...['ours', '300', '3.00× (2.00×–4.00×)', '1.01 ms', '3.03 ms', '2.00 ms', '2.00 ms'],
      ...['1.00', '–'],
    ]);
    expect(curator?.slice(0, 3)).toEqual(['curator', '100', '1.00×']);
  });

  it('has dashes for a contender that failed, and counts the rounds that did not', () => {
    const [, ours, kazoo] = rows(
      entry('ours', undefined, 200),
      entry('kazoo'),
      entry('curator', 10, 100),
    );
    expect(ours?.slice(1, 3)).toEqual(['200', '2.00×']);
    expect(new Set(kazoo?.slice(1))).toEqual(new Set(['–']));
  });

  it('shows a wait in units of another contender', () => {
    const slow: Entry = {
      contender: 'ours',
      warmUp: [],
      samples: [{ acquireP50: 3.03 }],
    };
    const column = acquireIn('creates', 'raw');
    const others = { reference: undefined, entry: () => entry('raw', 1) };
    expect(column.cell(slow, others)).toBe('3.00×');
    expect(column.cell(slow, { ...others, entry: () => undefined })).toBe('–');
    expect(RATIO.cell(slow, others)).toBe('–');
  });
});

describe('the table of ratios', () => {
  it('has a dash for work that a contender cannot do, and no line for a workload without a rate', () => {
    const loads: never[] = [];
    const results = [
      { workload: 'one', loads, entries: [entry('curator', 10), entry('ours', 25)] },
      { workload: 'two', loads, entries: [entry('kazoo', 2), entry('ours', 1)] },
      {
        workload: 'three',
        loads,
        entries: [{ contender: 'ours', warmUp: [], samples: [{ bare: 1 }] }],
      },
    ];
    expect(ratioRows(results)).toEqual([
      ['workload', 'curator', 'ours', 'kazoo'],
      ['one', '1.00×', '2.50×', '–'],
      ['two', '–', '0.50×', '1.00×'],
    ]);
  });
});

describe('rows', () => {
  const rows = [
    ['a', 'number'],
    ['longer', '7'],
  ];

  it('are aligned in a terminal', () => {
    expect(aligned(rows)).toBe('a       number\nlonger       7');
  });

  it('are a table in Markdown', () => {
    expect(markdown(rows)).toBe('| a | number |\n| --- | ---: |\n| longer | 7 |');
  });
});
