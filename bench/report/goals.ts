import { CURATOR } from '../contenders/curator.js';
import { BEFORE, OURS, OURS_KEPT } from '../contenders/ours.js';
import { RAW_BATCH, RAW_SOCKET } from '../contenders/raw.js';
import { REDLOCK_MEMORY } from '../contenders/redlock.js';
import { type Entry, figuresOf, type Results } from '../measure/results.js';
import { median, ratios } from '../measure/statistics.js';
import {
  FOUR_AT_RANDOM,
  FOUR_PROCESSES,
  FOUR_SINGLE,
  LONELY,
  ONE_KEY,
} from '../workloads/one-key.js';
import { OWN_KEY, OWN_KEYS } from '../workloads/own-keys.js';
import { READ_HEAVY } from '../workloads/read-heavy.js';
import { CROWD, KEY_MEMORY, PERMITS_AT_ONCE } from '../workloads/scale.js';
import { TEN_THOUSAND } from '../workloads/waiters.js';
import { ratioTo } from './column.js';

/** The goal of this library in one workload. */
export interface Goal {
  readonly what: string;
  readonly workload: string;
  /** The contender that the goal applies to, and the one that it is compared with, if any. */
  readonly contenders: readonly string[];
  readonly wanted: number;
  readonly atMost?: boolean;
  measure(ours: Entry, other: Entry): number | undefined;
}

/** @param unit the number of the figure's units in one unit of the goal */
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

/** The figure of one contender as a fraction of another's, in the same rounds. */
function share(name: string) {
  return (entry: Entry, other: Entry): number | undefined =>
    ratios(figuresOf(entry, name), figuresOf(other, name))?.median;
}

export const GOALS: readonly Goal[] = [
  times(CURATOR, FOUR_PROCESSES, 6, 'one key, 4 × 16 tasks, strict order'),
  times(BEFORE, FOUR_AT_RANDOM, 1.4, 'one key, 4 × 16 tasks at random'),
  times(CURATOR, FOUR_AT_RANDOM, 1.5, 'one key, 4 × 16 tasks at random'),
  times(CURATOR, FOUR_SINGLE, 1.2, 'one key, 4 × 1 task'),
  atMost(
    'one key, 3 × 16 tasks: p99 of a visitor: × before',
    LONELY,
    1,
    share('visitorAcquireP99'),
    BEFORE,
  ),
  times(CURATOR, ONE_KEY, 8, 'one key, 64 tasks, strict order'),
  times(CURATOR, READ_HEAVY, 6, '95% read, strict order'),
  times(RAW_BATCH, OWN_KEYS, 0.5, 'own keys, 64 tasks'),
  atMost('own keys, 64 tasks: CPU per cycle, µs', OWN_KEYS, 25, figure('cpuMicrosPerCycle')),
  times(RAW_SOCKET, OWN_KEY, 0.8, 'own key, 1 task'),
  times(REDLOCK_MEMORY, OWN_KEY, 40, 'own key, 1 task, kept', OURS_KEPT),
  times(REDLOCK_MEMORY, OWN_KEYS, 6.7, 'own keys, 64 tasks, kept', OURS_KEPT),
  atMost('10,000 waiters join: longest stall, ms', TEN_THOUSAND, 60, figure('stallMs')),
  atMost('10,000 waiters: KB on the heap each', TEN_THOUSAND, 2.8, figure('heapBytes', 1_024)),
  {
    what: '10 × 1,000 waiters, each served once: grants/s',
    workload: CROWD,
    contenders: [OURS],
    wanted: 500,
    measure: figure('perSecond'),
  },
  atMost('KB on the heap for a held lock', KEY_MEMORY, 2, figure('heldBytes', 1_024)),
  atMost('KB on the heap for a released key', KEY_MEMORY, 0.5, figure('releasedBytes', 1_024)),
  atMost(
    '5,000 permits at once: CPU: × before',
    PERMITS_AT_ONCE,
    0.72,
    share('permitsCpuMs'),
    BEFORE,
  ),
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
