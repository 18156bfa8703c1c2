import type { Contender, Skill } from '../contenders/contender.js';
import type { Driver, Load } from '../contenders/driver.js';
import type { Keys, Outcome, Work } from '../driver/protocol.js';
import { merge, percentile, total } from '../measure/histogram.js';
import { cpuMs } from '../measure/process-gauge.js';
import type { Sample } from '../measure/results.js';
import { fairness } from '../measure/statistics.js';
import { type Column, THROUGHPUT_COLUMNS } from '../report/column.js';
import type { PlaceName } from '../servers/stage.js';
import type { Workload } from './workload.js';

/**
 * Short enough that the keys are wanted often, and long enough that the first process takes them
 * again in between.
 */
export const VISITOR_PAUSE_MS = 10;

export interface Throughput {
  readonly name: string;
  readonly about: string;
  readonly keys: Keys;
  /** Tasks of each process. */
  readonly tasks: number;
  /** @default 'write' */
  readonly work?: Work;
  /** @default the skill for its work or keys */
  readonly skill?: Skill;
  /** @default 1 */
  readonly processes?: number;
  /** Tasks of one more process, which want the first keys and pause between cycles. @default 0 */
  readonly visitors?: number;
  /** @default 'standalone' */
  readonly place?: PlaceName;
  /** @default the columns of every throughput */
  readonly columns?: readonly Column[];
}

/** Tasks that acquire and release, again and again, without a pause. */
export function throughput(of: Throughput): Workload {
  const { name, about, keys, tasks, work = 'write', processes = 1, visitors = 0 } = of;
  const skill: Skill = of.skill ?? (work === 'write' ? keys : work);
  const key = name.replaceAll(/[^\w]+/g, '-');
  return {
    ...{ name, about },
    place: of.place ?? 'standalone',
    columns: of.columns ?? THROUGHPUT_COLUMNS,
    suits: ({ skills, minTasks = 1 }: Contender) => skills.includes(skill) && tasks >= minTasks,
    async open(stage, contender) {
      const drivers = await stage.drivers(contender, processes + Math.min(1, visitors));
      const load = { work, keys, tasks, name: key };
      return async (seconds) => {
        const [sample, visit] = await Promise.all([
          measure(drivers.slice(0, processes), load, seconds),
          drivers[processes]?.run({ ...load, tasks: visitors, pauseMs: VISITOR_PAUSE_MS }, seconds),
        ]);
        return { ...sample, ...(visit && visitOf(visit, seconds)) };
      };
    },
  };
}

async function measure(drivers: readonly Driver[], load: Load, seconds: number): Promise<Sample> {
  const cpu = (): number => drivers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const before = cpu();
  const outcomes = await Promise.all(drivers.map((driver) => driver.run(load, seconds)));
  return sampleOf(outcomes, seconds, cpu() - before);
}

/** @param usedCpuMs by all processes */
export function sampleOf(outcomes: readonly Outcome[], seconds: number, usedCpuMs: number): Sample {
  const cycles = outcomes.flatMap((outcome) => outcome.cycles);
  const cycle = merge(outcomes.map((outcome) => outcome.cycle));
  const acquire = merge(outcomes.map((outcome) => outcome.acquire));
  // A process does not know the grants of another.
  const handOver = outcomes.length === 1 ? (outcomes[0]?.handOver ?? {}) : {};
  return {
    perSecond: sum(cycles) / seconds,
    ...known({
      fairness: fairness(cycles),
      ...{ acquireP50: percentile(acquire, 50), acquireP99: percentile(acquire, 99) },
      ...{ cycleP50: percentile(cycle, 50), cycleP99: percentile(cycle, 99) },
      handOverP99: percentile(handOver, 99),
    }),
    cpuMicrosPerCycle: (usedCpuMs * 1_000) / Math.max(1, total(cycle)),
  };
}

function visitOf({ cycles, acquire }: Outcome, seconds: number): Sample {
  const visitorPerSecond = sum(cycles) / seconds;
  return {
    visitorPerSecond,
    ...known({
      visitorAcquireP50: percentile(acquire, 50),
      visitorAcquireP99: percentile(acquire, 99),
    }),
  };
}

function known(figures: Readonly<Record<string, number | undefined>>): Sample {
  const entries = Object.entries(figures);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((a, b) => a + b, 0);
}
