import type { Sample } from './worker/run.js';

/** How much a count may grow over a run: per step, or by the noise if that is more. */
interface Limit {
  readonly perStep: number;
  /**
   * Growth without a leak, which does not depend on the length of the run: compiled code, what V8 learns
   * about types, pages that the allocator keeps. In short runs, this limit applies.
   */
  readonly noise: number;
}

/** Limits for bytes and JavaScript objects. The resident set counts only in the second half of the run. */
export type Limits = Readonly<Record<'heap' | 'objects' | 'rss', Limit>>;

const KILO = 1024;
const MEGA = KILO * KILO;

/**
 * The smallest leak of a cycle is a closure, or a list entry with its content: an object, and far more than
 * 8 bytes. The smallest leak of the C client is an allocation: 32 bytes.
 */
export const cycleLimits: Limits = {
  heap: { perStep: 8, noise: 256 * KILO },
  objects: { perStep: 0.001, noise: 64 },
  rss: { perStep: 16, noise: 4 * MEGA },
};

/**
 * A lease and a native handle that leak are about a hundred objects and many kilobytes. Work in progress
 * when a sample is taken, such as an attempt to connect, is as much.
 */
export const sessionLimits: Limits = {
  heap: { perStep: 256, noise: MEGA },
  objects: { perStep: 0.25, noise: 256 },
  rss: { perStep: 4 * KILO, noise: 4 * MEGA },
};

/** The part of the run in which code is compiled, caches fill, and everything starts. */
const WARM_UP = 0.1;

const COUNTED = ['resources', 'descriptors', 'listeners', 'held', 'waiting'] as const;

/**
 * Describes the leaks. Memory may grow by no more than `limits`, measured by the straight line that fits all
 * samples best, and the counts of handles must be the same at the end.
 */
export function leaksIn(samples: readonly Sample[], limits: Limits): string[] {
  const done = samples.at(-1)?.done ?? 0;
  const warm = samples.filter((sample) => sample.done >= done * WARM_UP);
  const late = samples.filter((sample) => sample.done >= done / 2);
  const grown = (['heap', 'objects', 'rss'] as const).flatMap((what) => {
    const points = what === 'rss' ? late : warm;
    const slope = slopeOf(points.map((sample) => [sample.done, sample[what]]));
    const { perStep, noise } = limits[what];
    const allowed = Math.max(perStep, noise / (done - (points[0]?.done ?? 0)));
    return slope > allowed ? [`${what}: ${slope.toFixed(3)} a step`] : [];
  });
  const changed = COUNTED.flatMap((what) => {
    const [first, last] = [warm[0]?.[what], warm.at(-1)?.[what]];
    return first === last ? [] : [`${what}: ${String(first)}, then ${String(last)}`];
  });
  return [...grown, ...changed];
}

/** The slope of the straight line that fits the points best, by least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The samples as a Markdown table, with sizes in megabytes. */
export function table(samples: readonly Sample[]): string {
  const head = ['done', 'heap', 'rss', 'objects', ...COUNTED] as const;
  const cell = (sample: Sample, name: (typeof head)[number]): string =>
    name === 'heap' || name === 'rss' ? (sample[name] / MEGA).toFixed(2) : String(sample[name]);
  const rows = samples.map((sample) => head.map((name) => cell(sample, name)));
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
