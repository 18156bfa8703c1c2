import { CURATOR } from '../contenders/curator.js';
import { OURS, OURS_KEPT } from '../contenders/ours.js';
import { RAW_SOCKET } from '../contenders/raw.js';
import { REDLOCK_FSYNC, REDLOCK_MEMORY } from '../contenders/redlock.js';
import { type Entry, figuresOf, type Results } from '../measure/results.js';
import { median } from '../measure/statistics.js';
import { FOUR_PROCESSES, ONE_KEY } from '../workloads/one-key.js';
import { OWN_KEY, OWN_KEYS } from '../workloads/own-keys.js';
import { READ_HEAVY } from '../workloads/read-heavy.js';
import { TEN_THOUSAND } from '../workloads/waiters.js';
import { acquireRatio, ratioTo } from './column.js';

/** The goal of this library in one workload. */
export interface Goal {
  readonly what: string;
  readonly workload: string;
  /** The contender that the goal is about, then the one that it is compared with, if any. */
  readonly contenders: readonly string[];
  readonly wanted: number;
  readonly atMost?: boolean;
  measure(ours: Entry, other: Entry): number | undefined;
}

/** @param unit how many of the figure's units make one of the goal's */
function figure(name: string, unit = 1) {
  return (entry: Entry): number | undefined => {
    const value = median(figuresOf(entry, name).filter((one) => one !== undefined));
    return value === undefined ? undefined : value / unit;
  };
}

function times(other: string, workload: string, wanted: number, what: string, ours = OURS): Goal {
  const measure = (entry: Entry, peer: Entry) => ratioTo(peer, entry)?.median;
  return { what: `${what}: × ${other}`, workload, contenders: [ours, other], wanted, measure };
}

function atMost(
  what: string,
  workload: string,
  wanted: number,
  measure: Goal['measure'],
  ...other: string[]
): Goal {
  return { what, workload, contenders: [OURS, ...other], wanted, atMost: true, measure };
}

export const GOALS: readonly Goal[] = [
  times(CURATOR, ONE_KEY, 5, 'one key, 64 tasks, strict order'),
  times(CURATOR, FOUR_PROCESSES, 2.5, 'one key, 4 × 16 tasks, strict order'),
  times(CURATOR, READ_HEAVY, 6, '95% read, strict order'),
  times(CURATOR, OWN_KEYS, 4.5, 'own keys, 64 tasks'),
  times(REDLOCK_FSYNC, OWN_KEYS, 0.7, 'own keys, 64 tasks'),
  times(CURATOR, OWN_KEY, 1.3, 'own key, 1 task'),
  atMost(
    'own key, 1 task: acquire p50 in creates',
    OWN_KEY,
    1.2,
    (entry, raw) => acquireRatio(entry, raw)?.median,
    RAW_SOCKET,
  ),
  times(REDLOCK_MEMORY, OWN_KEY, 10, 'own key, 1 task, kept', OURS_KEPT),
  times(REDLOCK_MEMORY, OWN_KEYS, 2, 'own keys, 64 tasks, kept', OURS_KEPT),
  atMost('10,000 waiters join: longest stall, ms', TEN_THOUSAND, 100, figure('stallMs')),
  atMost('10,000 waiters: KB on the heap per waiter', TEN_THOUSAND, 3, figure('heapBytes', 1_024)),
  atMost('own keys, 64 tasks: CPU per cycle, µs', OWN_KEYS, 12, figure('cpuMicrosPerCycle')),
];

/** @returns undefined if it was not measured */
export function reached(goal: Goal, { workloads }: Results): number | undefined {
  const entries = workloads.find(({ workload }) => workload === goal.workload)?.entries;
  const [ours, other] = goal.contenders.map((name) =>
    entries?.find(({ contender }) => contender === name),
  );
  if (!ours || (goal.contenders.length > 1 && !other)) return undefined;
  return goal.measure(ours, other ?? ours);
}

export function isMet({ wanted, atMost }: Goal, value: number): boolean {
  return atMost ? value <= wanted : value >= wanted;
}
