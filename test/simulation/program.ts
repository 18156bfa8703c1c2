// This import replaces the globals, so it must be the first one.
import { real } from './world/simulated-builtins.js';
import { readFileSync, writeSync } from 'node:fs';
import { turn } from '../../libs/zk-locks/src/slices.js';
import { drawPlan, type Wishes } from './plan/draw-plan.js';
import type { Plan } from './plan/plan.js';
import { type Outcome, play } from './story/play.js';
import { describeReduction, shrink } from './story/shrink.js';
import { growthOf, type Sample, takeSample } from './tools/memory.js';
import { finishLoading, splitByProcess } from './world/current-process.js';

/** A job for a process of the simulator, passed as one JSON object. */
export interface Job {
  readonly firstSeed: number;
  /** The distance between two seeds. */
  readonly step: number;
  /** The maximum number of seeds. */
  readonly seeds: number;
  /** The maximum duration, in milliseconds of real time. */
  readonly forMs: number;
  /** The maximum CPU time, in milliseconds. @default unlimited */
  readonly forCpuMs?: number | undefined;
  /** The maximum simulated time, in milliseconds. */
  readonly forSimulatedMs: number;
  /** Whether to stop after the first story in which a promise is broken. */
  readonly stopsAtViolation: boolean;
  readonly wishes: Wishes;
  /** A file with one plan or several, which are played instead of drawn ones. */
  readonly plan?: string | undefined;
  /** How long to search for a smaller story, in milliseconds of real time. @default no search */
  readonly shrinkMs?: number | undefined;
  /** The maximum number of stories in this search. @default unlimited */
  readonly shrinkStories?: number;
  /** Each n-th story is played twice and must have the same digest. */
  readonly twiceEvery: number;
  /** The memory is checked after each n-th story. */
  readonly memoryEvery?: number;
}

/** The output of the process: one JSON object per line. */
export type Told =
  | { readonly type: 'outcome'; readonly outcome: Omit<Outcome, 'lines' | 'story'> }
  | {
      readonly type: 'failure';
      readonly plan: Plan;
      readonly outcome: Outcome;
      /** Describes what was removed from the story that failed. */
      readonly takenAway: string;
    }
  | { readonly type: 'end'; readonly cpuMs: number; readonly heapBytes: number };

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

function run(job: Job): void {
  // Most errors in a story are expected, and collecting their stacks is expensive.
  Error.stackTraceLimit = 0;
  const endsAt = real.performanceNow() + job.forMs;
  const plans =
    job.plan === undefined
      ? plansOf(job)
      : [JSON.parse(readFileSync(job.plan, 'utf8')) as Plan | Plan[]].flat();
  let played = 0;
  let simulatedMs = 0;
  for (const plan of plans) {
    if (real.performanceNow() > endsAt || simulatedMs > job.forSimulatedMs) break;
    if (cpuMs() > (job.forCpuMs ?? Infinity)) break;
    const outcome = withMemory(judge(plan, ++played % job.twiceEvery === 0), job, played);
    const { lines: _lines, story: _story, ...short } = outcome;
    simulatedMs += outcome.seconds * 1_000;
    tell({ type: 'outcome', outcome: short });
    const [violation] = outcome.violations;
    if (!violation) continue;
    if (job.shrinkMs !== undefined)
      tellStory(plan, violation.promise, job.shrinkMs, job.shrinkStories);
    if (job.stopsAtViolation) break;
  }
  tell({ type: 'end', cpuMs: cpuMs(), heapBytes: process.memoryUsage().heapUsed });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function tellStory(plan: Plan, promise: string, shrinkMs: number, stories = Infinity): void {
  const until = real.performanceNow() + shrinkMs;
  const small = shrink(plan, promise, () => stories-- > 0 && real.performanceNow() < until);
  const takenAway = describeReduction(plan, small);
  tell({ type: 'failure', plan: small, outcome: play(small, { keepsLog: true }), takenAway });
}

let firstSample: Sample | undefined;

/** Checks at intervals whether past stories have been released from memory. */
function withMemory(outcome: Outcome, { memoryEvery = Infinity }: Job, played: number): Outcome {
  if (played % memoryEvery !== 0) return outcome;
  const sample = takeSample(played);
  firstSample ??= sample;
  const message = growthOf(firstSample, sample);
  if (message === undefined) return outcome;
  const violation = { promise: 'memory', message };
  return { ...outcome, violations: [...outcome.violations, violation] };
}

function judge(plan: Plan, isTwice: boolean): Outcome {
  const outcome = play(plan);
  if (!isTwice) return outcome;
  const again = play(plan);
  if (again.digest === outcome.digest) return outcome;
  const message = `the same plan gave ${outcome.digest} and ${again.digest}`;
  const violation = { promise: 'determinism', message };
  return { ...outcome, violations: [...outcome.violations, violation] };
}

function* plansOf({ firstSeed, step, seeds, wishes }: Job): Generator<Plan> {
  for (let count = 0; count < seeds; count++) yield drawPlan(firstSeed + count * step, wishes);
}

splitByProcess(turn, () => ({ pauseAt: undefined, line: [] }));
finishLoading();
// Ticks and promise jobs can be drained between two callbacks only inside a timer.
real.setTimeout(() => {
  run(JSON.parse(process.argv[2] ?? '{}') as Job);
  process.exit();
}, 0);
