import type { Sample } from './sample.js';

/** How much something may grow over a run: so much for each step, or the noise where that is more. */
interface Limit {
  readonly perStep: number;
  /**
   * What comes without a leak and does not grow with the run: compiled code, what V8 learns about the
   * types that it sees, pages that the allocator keeps. It is what counts for short runs.
   */
  readonly noise: number;
}

/** A step is a cycle, or the end of a session. */
export interface Limits {
  /** In bytes, `heapUsed` and `external` together. */
  readonly heap: Limit;
  /** JavaScript objects. */
  readonly objects: Limit;
  /** In bytes, over the second half of the run. */
  readonly rss: Limit;
}

/** Of one rule: what was seen, and whether that is flat. */
export interface Finding {
  readonly what: string;
  readonly seen: string;
  readonly allowed: string;
  readonly isFlat: boolean;
}

const KILO = 1024;
const MEGA = KILO * KILO;

/**
 * The least that leaks with a cycle is a closure, or a list's entry with what it stands for: an object,
 * and far more than 8 bytes. The least that the C client could leak is an allocation: 32 bytes.
 */
export const cycleLimits: Limits = {
  heap: { perStep: 8, noise: 256 * KILO },
  objects: { perStep: 0.001, noise: 64 },
  rss: { perStep: 16, noise: 4 * MEGA },
};

/**
 * A lease and a native handle that stay are about a hundred objects and many kilobytes. What is
 * underway when a sample is taken, such as an attempt to connect, is as much.
 */
export const sessionLimits: Limits = {
  heap: { perStep: 256, noise: MEGA },
  objects: { perStep: 0.25, noise: 256 },
  rss: { perStep: 4 * KILO, noise: 4 * MEGA },
};

/** Of the run, before code is compiled and caches are full. */
const WARM_UP = 0.1;

const counters = [
  'resources',
  'descriptors',
  'listeners',
  'held',
  'waiting',
  'sessions',
  'watches',
  'ephemerals',
] as const satisfies readonly (keyof Sample)[];

/**
 * Whether a run was flat. What comes and goes by itself may grow by no more than `limits`, measured
 * by the straight line that is nearest to all samples, and what is counted is the same at the end.
 */
export function judge(samples: readonly Sample[], limits: Limits): Finding[] {
  const done = samples.at(-1)?.done ?? 0;
  const warm = samples.filter((sample) => sample.done >= done * WARM_UP);
  const late = samples.filter((sample) => sample.done >= done / 2);
  return [
    growth('heap', warm, limits),
    growth('objects', warm, limits),
    growth('rss', late, limits),
    ...counters.map((name) => unchanged(name, samples)),
  ];
}

function growth(what: keyof Limits, samples: readonly Sample[], limits: Limits): Finding {
  const steps = (samples.at(-1)?.done ?? 0) - (samples[0]?.done ?? 0);
  const slope = slopeOf(samples.map((sample) => [sample.done, sample[what]]));
  const { perStep, noise } = limits[what];
  const allowed = Math.max(perStep, noise / steps);
  return {
    what,
    seen: `${slope.toFixed(3)} a step`,
    allowed: allowed.toFixed(3),
    isFlat: slope <= allowed,
  };
}

function unchanged(what: (typeof counters)[number], samples: readonly Sample[]): Finding {
  const [first, last] = [samples[0]?.[what], samples.at(-1)?.[what]];
  return {
    what,
    seen: `${String(first)}, then ${String(last)}`,
    allowed: 'the same',
    isFlat: first !== undefined && first === last,
  };
}

/** Of the straight line that is nearest to the points, by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
