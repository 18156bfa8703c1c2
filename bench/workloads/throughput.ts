import type { Contender, Skill } from '../contenders/contender.js';
import type { Driver, Load } from '../contenders/driver.js';
import type { Keys, Outcome, Work } from '../driver/protocol.js';
import { merge, total } from '../measure/histogram.js';
import { cpuMs } from '../measure/process-gauge.js';
import type { Sample } from '../measure/results.js';
import { fairness } from '../measure/statistics.js';
import { THROUGHPUT_COLUMNS, type Column } from '../report/column.js';
import type { PlaceName } from '../servers/stage.js';
import type { Workload } from './workload.js';

export interface Throughput {
  readonly name: string;
  readonly about: string;
  readonly keys: Keys;
  /** In each process. */
  readonly tasks: number;
  /** @default 'write' */
  readonly work?: Work;
  /** @default 1 */
  readonly processes?: number;
  /** @default 'standalone' */
  readonly place?: PlaceName;
  /** @default those of every throughput */
  readonly columns?: readonly Column[];
}

/** Tasks that take and give back, again and again, with nothing in between. */
export function throughput(of: Throughput): Workload {
  const { name, about, keys, tasks, work = 'write', processes = 1 } = of;
  const skill: Skill = work === 'write' ? keys : work;
  const key = name.replaceAll(/[^\w]+/g, '-');
  return {
    ...{ name, about },
    place: of.place ?? 'standalone',
    columns: of.columns ?? THROUGHPUT_COLUMNS,
    suits: ({ skills, minTasks = 1 }: Contender) => skills.includes(skill) && tasks >= minTasks,
    async open(stage, contender) {
      const drivers = await stage.drivers(contender, processes);
      const load = { work, keys, tasks, name: key };
      return (seconds) => measure(drivers, load, seconds);
    },
  };
}

async function measure(drivers: readonly Driver[], load: Load, seconds: number): Promise<Sample> {
  const cpu = (): number => drivers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const before = cpu();
  const outcomes = await Promise.all(drivers.map((driver) => driver.run(load, seconds)));
  return sampleOf(outcomes, seconds, cpu() - before);
}

/** @param usedCpuMs by all of them */
export function sampleOf(outcomes: readonly Outcome[], seconds: number, usedCpuMs: number): Sample {
  const cycles = outcomes.flatMap((outcome) => outcome.cycles);
  const cycle = merge(outcomes.map((outcome) => outcome.cycle));
  const acquire = merge(outcomes.map((outcome) => outcome.acquire));
  const inTime = cycles.reduce((sum, count) => sum + count, 0);
  const even = fairness(cycles);
  return {
    figures: {
      perSecond: inTime / seconds,
      ...(even !== undefined && { fairness: even }),
      cpuMicrosPerCycle: (usedCpuMs * 1_000) / Math.max(1, total(cycle)),
    },
    ...{ acquire, cycle },
  };
}
