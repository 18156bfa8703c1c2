import { type Contender } from '../contenders/contender.js';
import { CURATOR, CURATOR_SHARED } from '../contenders/curator.js';
import { RAW_BATCH, RAW_NATIVE, RAW_SOCKET } from '../contenders/raw.js';
import { type Entry, figuresOf, type Results } from '../measure/results.js';
import { median } from '../measure/statistics.js';
import { acquireRatio, ratioTo } from './column.js';

/** What this library is to reach, by the best of its variants. */
export interface Goal {
  readonly what: string;
  readonly wanted: number;
  readonly atMost?: boolean;
  /** Undefined where it was not measured. */
  readonly reached: number | undefined;
}

interface View {
  /** The most, over our variants of a kind, of how many times as much per second as another had. */
  readonly times: (workload: string, kind: Kind, other: string) => number | undefined;
  /** The least, over our variants, of what `measure` says. */
  readonly least: (workload: string, measure: Measure) => number | undefined;
}

type Measure = (entry: Entry, find: Find) => number | undefined;
type Kind = NonNullable<Contender['ours']>;
type Find = (contender: string, workload?: string) => Entry | undefined;

const REDLOCK = 'redlock-fsync';
const ONE = 'one key, 64 tasks';
const MIXED = 'one key, 64 tasks, 95% read';

export function goalsOf(results: Results, contenders: readonly Contender[]): Goal[] {
  const { times, least } = viewOf(results, contenders);
  const line = '10,000 waiters';
  const against =
    (name: string): Measure =>
    (entry, find) => {
      const few = find(entry.contender, '10 waiters');
      const [many, little] = [entry, few].map((one) => one && median(known(figuresOf(one, name))));
      return many === undefined || little === undefined ? undefined : many / little;
    };
  const atLeast = (what: string, wanted: number, reached: number | undefined): Goal => ({
    ...{ what, wanted, reached },
  });
  const atMost = (what: string, wanted: number, reached: number | undefined): Goal => ({
    ...{ what, wanted, reached, atMost: true },
  });
  /** Where threads want the same key, it matters whether they share Curator's object for it. */
  const curators = (what: string, wanted: number, workload: string, kind: Kind): Goal[] => [
    atLeast(`${what}: × Curator, one object`, wanted, times(workload, kind, CURATOR_SHARED)),
    atLeast(`${what}: × Curator, an object each`, wanted, times(workload, kind, CURATOR)),
  ];
  const own = 'own key, 1 task';
  const many = 'own keys, 64 tasks';
  return [
    atLeast('own key, 1 task: × Curator', 1.3, times(own, 'strict', CURATOR)),
    atLeast('own key, 1 task, +5 ms: × Curator', 1.45, times(`${own}, +5 ms`, 'strict', CURATOR)),
    atMost(
      'own key, 1 task: acquire p50 in raw creates of the same kind of client',
      1.2,
      least(own, (entry, find) => {
        const raw = find(entry.contender.includes('wire') ? RAW_SOCKET : RAW_NATIVE);
        return raw && acquireRatio(entry, raw)?.median;
      }),
    ),
    atLeast('own keys, 64 tasks: × Curator', 6, times(many, 'strict', CURATOR)),
    atLeast('own keys, 64 tasks: × redlock, fsync always', 0.7, times(many, 'strict', REDLOCK)),
    atLeast('own keys, 64 tasks: × raw, batched', 0.8, times(many, 'strict', RAW_BATCH)),
    ...curators('one key, 64 tasks, strict order', 12, ONE, 'strict'),
    atLeast('one key, 64 tasks, strict order: × kazoo', 1.8, times(ONE, 'strict', 'kazoo')),
    ...curators('one key, 4 × 16 tasks, strict order', 3, 'one key, 4 × 16 tasks', 'strict'),
    ...curators('one key, 64 tasks, cohorts', 500, ONE, 'cohort'),
    atLeast(
      'one key, 64 tasks, cohorts: × redlock, fsync always',
      30,
      times(ONE, 'cohort', REDLOCK),
    ),
    ...curators('95% read, strict order', 8, MIXED, 'strict'),
    ...curators('95% read, cohorts', 50, MIXED, 'cohort'),
    atMost('10,000 waiters: bytes per hand-over, × 10 waiters', 2, least(line, against('bytes'))),
    atMost(
      '10,000 waiters: time per hand-over, × 10 waiters',
      2,
      least(line, against('handOverMs')),
    ),
    atMost(
      '10,000 waiters: KB on the heap per waiter',
      3,
      least(line, (entry) => {
        const heap = median(known(figuresOf(entry, 'heapBytes')));
        return heap === undefined ? undefined : heap / 1_024;
      }),
    ),
  ];
}

export function isReached({ reached, wanted, atMost }: Goal): boolean | undefined {
  if (reached === undefined) return undefined;
  return atMost ? reached <= wanted : reached >= wanted;
}

function viewOf({ workloads }: Results, contenders: readonly Contender[]): View {
  const find = (workload: string, contender: string): Entry | undefined =>
    workloads
      .find((result) => result.workload === workload)
      ?.entries.find((entry) => entry.contender === contender);
  const ours = (workload: string, kinds: readonly Kind[]): Entry[] =>
    contenders.flatMap(({ name, ours: kind }) => {
      const entry = kind && kinds.includes(kind) ? find(workload, name) : undefined;
      return entry ? [entry] : [];
    });
  return {
    times: (workload, kind, other) => {
      const reference = find(workload, other);
      if (!reference) return undefined;
      const all = ours(workload, [kind]).map((entry) => ratioTo(reference, entry)?.median);
      return best(Math.max, all);
    },
    least: (workload, measure) => {
      const all = ours(workload, ['strict', 'cohort']).map((entry) =>
        measure(entry, (contender, other = workload) => find(other, contender)),
      );
      return best(Math.min, all);
    },
  };
}

function best(
  choose: (...values: number[]) => number,
  values: readonly (number | undefined)[],
): number | undefined {
  const all = known(values);
  return all.length === 0 ? undefined : choose(...all);
}

function known(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}
