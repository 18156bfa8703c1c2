import type { Contender, Skill } from '../contenders/contender.js';
import type { Driver, Load } from '../contenders/driver.js';
import type { Keys, Outcome, Work } from '../driver/protocol.js';
import { merge, percentile, total } from '../measure/histogram.js';
import { packetsEach, readPackets } from '../measure/packets.js';
import { cpuMs } from '../measure/process-gauge.js';
import type { Sample } from '../measure/results.js';
import { runLength } from '../measure/run-length.js';
import { fairness } from '../measure/statistics.js';
import { type Column, THROUGHPUT_COLUMNS } from '../report/column.js';
import type { PlaceName } from '../servers/stage.js';
import type { Workload } from './workload.js';

/** Long enough that the first process acquires the keys in between, but no longer. */
export const VISITOR_PAUSE_MS = 10;

export interface Throughput {
  readonly name: string;
  readonly about: string;
  readonly keys: Keys;
  /** The number of tasks in each process. */
  readonly tasks: number;
  /** @default 'write' */
  readonly work?: Work;
  /** @default the skill for its work or keys */
  readonly skill?: Skill;
  /** @default 1 */
  readonly processes?: number;
  /**
   * The number of tasks in one more process, which request the first keys and pause between cycles.
   * @default 0
   */
  readonly visitors?: number;
  /** Pause of each task between its cycles. @default none */
  readonly pauseMs?: number;
  /**
   * The mean time for which each lock is held. Pauses and holds are then random. @default locks are
   * released at once
   */
  readonly holdMs?: number;
  /** @default 'standalone' */
  readonly place?: PlaceName;
  /** @default the columns of every throughput */
  readonly columns?: readonly Column[];
}

/** Tasks that acquire and release repeatedly. */
export function throughput(of: Throughput): Workload {
  const { name, about, keys, tasks, work = 'write', processes = 1, visitors = 0 } = of;
  const skill: Skill = of.skill ?? (work === 'write' ? keys : work);
  const key = name.replaceAll(/[^\w]+/g, '-');
  const place = of.place ?? 'standalone';
  return {
    ...{ name, about },
    place,
    columns: of.columns ?? THROUGHPUT_COLUMNS,
    suits: ({ skills, minTasks = 1 }: Contender) => skills.includes(skill) && tasks >= minTasks,
    async open(stage, contender) {
      const drivers = await stage.drivers(contender, processes + Math.min(1, visitors));
      const load = {
        work,
        keys,
        tasks,
        name: key,
        pauseMs: of.pauseMs ?? 0,
        holdMs: of.holdMs ?? 0,
      };
      const isOneServer = place === 'standalone' && contender.backend === 'zookeeper';
      const port = isOneServer ? (await stage.ports('zookeeper'))[0] : undefined;
      return async (seconds) => {
        const [sample, visit] = await Promise.all([
          measure(drivers.slice(0, processes), load, seconds, port),
          drivers[processes]?.run({ ...load, tasks: visitors, pauseMs: VISITOR_PAUSE_MS }, seconds),
        ]);
        return { ...sample, ...(visit && visitOf(visit, seconds)) };
      };
    },
  };
}

/** @param port the only ZooKeeper that the drivers use, whose packets are counted */
async function measure(
  drivers: readonly Driver[],
  load: Load,
  seconds: number,
  port: number | undefined,
): Promise<Sample> {
  const cpu = (): number => drivers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const packetsBefore = port === undefined ? undefined : await readPackets(port);
  const before = cpu();
  const outcomes = await Promise.all(drivers.map((driver) => driver.run(load, seconds)));
  const sample = sampleOf(outcomes, seconds, cpu() - before);
  if (port === undefined || !packetsBefore) return sample;
  const cycles = outcomes.reduce((all, { cycle }) => all + total(cycle), 0);
  return { ...sample, ...packetsEach(packetsBefore, await readPackets(port), cycles) };
}

/** @param usedCpuMs the CPU time of all processes */
export function sampleOf(outcomes: readonly Outcome[], seconds: number, usedCpuMs: number): Sample {
  const cycles = outcomes.flatMap((outcome) => outcome.cycles);
  const cycle = merge(outcomes.map((outcome) => outcome.cycle));
  const acquire = merge(outcomes.map((outcome) => outcome.acquire));
  // A process does not know the grants of other processes.
  const handOver = outcomes.length === 1 ? (outcomes[0]?.handOver ?? {}) : {};
  return {
    perSecond: sum(cycles) / seconds,
    ...known({
      fairness: fairness(cycles),
      ...{ acquireP50: percentile(acquire, 50), acquireP99: percentile(acquire, 99) },
      ...{ cycleP50: percentile(cycle, 50), cycleP99: percentile(cycle, 99) },
      handOverP99: percentile(handOver, 99),
      ...(outcomes.length > 1 && { runLength: runLength(outcomes.map((one) => one.grants ?? [])) }),
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
