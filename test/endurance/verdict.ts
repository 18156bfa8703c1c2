import type { Sample } from './worker/run.js';

/** How much something may grow over a run: so much for each step, or the noise where that is more. */
interface Limit {
  readonly perStep: number;
  /**
   * What comes without a leak and does not grow with the run: compiled code, what V8 learns about the
   * types that it sees, pages that the allocator keeps. It is what counts for short runs.
   */
  readonly noise: number;
}

/** Of bytes, and of JavaScript objects; the resident set counts over the second half of the run. */
export type Limits = Readonly<Record<'heap' | 'objects' | 'rss', Limit>>;

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

/** Of the run, before code is compiled, caches are full, and all that starts is there. */
const WARM_UP = 0.1;

const COUNTED = ['resources', 'descriptors', 'listeners', 'held', 'waiting'] as const;

/**
 * What leaks, in words. What comes and goes by itself may grow by no more than `limits`, measured by
 * the straight line that is nearest to all samples, and what is counted is the same at the end.
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

/** Of the straight line that is nearest to the points, by least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)));
  return covariance / mean(points.map(([x]) => (x - meanX) ** 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** As Markdown; sizes in megabytes. */
export function table(samples: readonly Sample[]): string {
  const head = ['done', 'heap', 'rss', 'objects', ...COUNTED] as const;
  const cell = (sample: Sample, name: (typeof head)[number]): string =>
    name === 'heap' || name === 'rss' ? (sample[name] / MEGA).toFixed(2) : String(sample[name]);
  const rows = samples.map((sample) => head.map((name) => cell(sample, name)));
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
