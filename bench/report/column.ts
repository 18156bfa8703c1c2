import { type Entry, figuresOf } from '../measure/results.js';
import { median, ratios } from '../measure/statistics.js';
import { bytes, duration, factor, NOTHING, plain } from './words.js';

/** One column of a table of contenders. */
export interface Column {
  readonly title: string;
  /** @param reference the entry that the others are compared with */
  cell(entry: Entry, others: Others): string;
}

export interface Others {
  readonly reference: Entry | undefined;
  /** The entry of a contender for the same workload. */
  readonly entry: (contender: string) => Entry | undefined;
}

type Words = (value: number) => string;

/** The median of a figure over the rounds. */
function figure(title: string, name: string, words: Words): Column {
  return { title, cell: (entry) => orNothing(median(known(figuresOf(entry, name))), words) };
}

/** The median of the ratios to the reference, with the smallest and the largest of all rounds. */
const RATIO: Column = {
  title: 'ratio',
  cell: (entry, { reference }) => {
    if (!reference) return NOTHING;
    const spread = ratioTo(reference, entry);
    if (!spread) return NOTHING;
    if (entry === reference) return factor(1);
    if (spread.min === spread.max) return factor(spread.median);
    return `${factor(spread.median)} (${factor(spread.min)}–${factor(spread.max)})`;
  },
};

/** The ratio of `perSecond` to the reference. */
export function ratioTo(reference: Entry, entry: Entry): ReturnType<typeof ratios> {
  return ratios(figuresOf(entry, 'perSecond'), figuresOf(reference, 'perSecond'));
}

/** The median acquire, in multiples of another contender's median. */
export function acquireIn(unit: string, contender: string): Column {
  return {
    title: `acquire p50 in ${unit}`,
    cell: (entry, { entry: find }) => {
      const other = find(contender);
      const spread = other && acquireRatio(entry, other);
      return orNothing(spread?.median, factor);
    },
  };
}

export function acquireRatio(entry: Entry, unit: Entry): ReturnType<typeof ratios> {
  return ratios(figuresOf(entry, 'acquireP50'), figuresOf(unit, 'acquireP50'));
}

export const THROUGHPUT_COLUMNS: readonly Column[] = [
  figure('cycles/s', 'perSecond', plain),
  RATIO,
  figure('acquire p50', 'acquireP50', duration),
  figure('p99', 'acquireP99', duration),
  figure('cycle p50', 'cycleP50', duration),
  figure('p99', 'cycleP99', duration),
  figure('fairness', 'fairness', (value) => value.toFixed(2)),
  figure('CPU per cycle', 'cpuMicrosPerCycle', (micros) => duration(micros / 1_000)),
];

/** For tasks that compete for the same key. */
export const EXCHANGE_COLUMNS: readonly Column[] = [
  figure('requests', 'requests', (value) => value.toFixed(2)),
  figure('events', 'events', (value) => value.toFixed(2)),
];

/** For processes that compete for the same key. */
export const RUN_LENGTH_COLUMN = figure('grants in a row', 'runLength', (value) =>
  value.toFixed(1),
);

/** For a queue of writers in one process. */
export const HAND_OVER_COLUMN = figure('hand-over p99', 'handOverP99', duration);

export const VISITOR_COLUMNS: readonly Column[] = [
  figure('visitor’s cycles/s', 'visitorPerSecond', plain),
  figure('visitor’s acquire p50', 'visitorAcquireP50', duration),
  figure('p99', 'visitorAcquireP99', duration),
];

export const WAITER_COLUMNS: readonly Column[] = [
  figure('hand-overs/s', 'perSecond', plain),
  RATIO,
  figure('time each', 'handOverMs', duration),
  HAND_OVER_COLUMN,
  figure('requests', 'requests', (value) => value.toFixed(1)),
  figure('events', 'events', (value) => value.toFixed(1)),
  figure('bytes', 'bytes', bytes),
  figure('join', 'joinMs', duration),
  figure('watches per waiter', 'watches', (value) => value.toFixed(2)),
  figure('longest stall', 'stallMs', duration),
  figure('heap per waiter', 'heapBytes', bytes),
  figure('process per waiter', 'residentBytes', bytes),
];

export const CROWD_COLUMNS: readonly Column[] = [
  figure('grants/s', 'perSecond', plain),
  RATIO,
  figure('served', 'served', plain),
  RUN_LENGTH_COLUMN,
  ...EXCHANGE_COLUMNS,
  figure('CPU per grant', 'cpuMicrosPerCycle', (micros) => duration(micros / 1_000)),
  figure('join, all', 'joinMs', duration),
];

export const KEY_MEMORY_COLUMNS: readonly Column[] = [
  figure('held lock', 'heldBytes', bytes),
  figure('released key', 'releasedBytes', bytes),
];

export const PERMIT_COLUMNS: readonly Column[] = [
  figure('CPU', 'permitsCpuMs', duration),
  figure('time', 'permitsMs', duration),
];

const nanoseconds: Words = (value) => `${plain(value)} ns`;

export const DECORATOR_COLUMNS: readonly Column[] = [
  figure('bare method', 'bare', nanoseconds),
  figure('in `withLock`', 'withLock', nanoseconds),
  figure('under `@Locked`', 'locked', nanoseconds),
  figure('bare handler', 'handler', nanoseconds),
  figure('through `LockedInterceptor`', 'lockedHandler', nanoseconds),
];

function known(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

function orNothing(value: number | undefined, words: Words): string {
  return value === undefined || Number.isNaN(value) ? NOTHING : words(value);
}
