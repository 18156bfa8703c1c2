import { loadavg } from 'node:os';
import type { Contender } from './contenders/contender.js';
import type { Entry, Failure, Load, Results, WorkloadResult } from './measure/results.js';
import { warmUp } from './measure/warm-up.js';
import type { BenchOptions } from './options.js';
import { type PlaceName, Stage } from './servers/stage.js';
import { type Round, roundsOf, type Workload } from './workloads/workload.js';

export interface Listener {
  /** A contender begins a round; 0 is the warm-up round. */
  onRound(workload: Workload, contender: Contender, round: number): void;
  onResult(workload: Workload, result: WorkloadResult): void;
  onFailure(failure: Failure): void;
}

type Plan = Pick<BenchOptions, 'workloads' | 'contenders' | 'rounds' | 'seconds'>;

/** A contender that fails is excluded from the rest of this workload, but not from others. */
interface Entrant {
  readonly contender: Contender;
  readonly entry: Entry & { warmUp: readonly number[] };
  round: Round | undefined;
}

/** Runs all workloads, grouped by place. */
export async function bench(plan: Plan, listener: Listener): Promise<Results> {
  const workloads: WorkloadResult[] = [];
  const failures: Failure[] = [];
  const noting: Listener = {
    ...listener,
    onFailure: (failure) => {
      failures.push(failure);
      listener.onFailure(failure);
    },
  };
  for (const [place, there] of byPlace(plan.workloads)) {
    await using stage = new Stage(place);
    for (const workload of there) {
      const result = await runWorkload(workload, stage, plan, noting);
      workloads.push(result);
      listener.onResult(workload, result);
    }
  }
  return { workloads, failures };
}

function byPlace(workloads: readonly Workload[]): Map<PlaceName, Workload[]> {
  const places = new Map<PlaceName, Workload[]>();
  for (const workload of workloads) {
    places.set(workload.place, [...(places.get(workload.place) ?? []), workload]);
  }
  return places;
}

async function runWorkload(
  workload: Workload,
  stage: Stage,
  { contenders, rounds, seconds }: Plan,
  listener: Listener,
): Promise<WorkloadResult> {
  const entrants = contenders
    .filter((contender) => workload.suits(contender))
    .map((contender): Entrant => {
      const entry = { contender: contender.name, warmUp: [], samples: [] };
      return { contender, entry, round: undefined };
    });
  const guard = guardedBy(workload, listener);
  await Promise.all(
    entrants.map((entrant) =>
      guard(entrant, async () => {
        entrant.round = await workload.open(stage, entrant.contender);
      }),
    ),
  );
  const loads: Load[] = [];
  for (const round of roundsOf(workload, rounds)) {
    const load = { before: load1(), during: 0 };
    if (round > 0) loads.push(load);
    for (const entrant of rotated(entrants, round)) {
      await guard(entrant, async () => {
        const { round: work, entry } = entrant;
        if (!work) return;
        listener.onRound(workload, entrant.contender, round);
        if (round > 0) entry.samples[round - 1] = await work(seconds);
        else entry.warmUp = await warmUp(seconds, async (s) => (await work(s)).perSecond ?? 0);
      });
      load.during = Math.max(load.during, load1());
    }
  }
  return { workload: workload.name, entries: entrants.map(({ entry }) => entry), loads };
}

/** The load average of the last minute. */
function load1(): number {
  return loadavg()[0] ?? NaN;
}

function guardedBy(workload: Workload, listener: Listener) {
  return async (entrant: Entrant, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      entrant.round = undefined;
      const message = describe(error);
      const { name: contender } = entrant.contender;
      listener.onFailure({ workload: workload.name, contender, message });
    }
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message}: ${describe(error.cause)}` : error.message;
}

/** Rotates the order, so that each contender comes first once, and follows each other one. */
function rotated<T>(all: readonly T[], by: number): T[] {
  const start = all.length === 0 ? 0 : by % all.length;
  return [...all.slice(start), ...all.slice(0, start)];
}
