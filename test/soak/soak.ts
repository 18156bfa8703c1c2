import { Random } from '../workers/soak/random.js';
import type { Configuration } from './configuration/configuration.js';
import { plan, type PlanOptions, type Stretch } from './configuration/plan.js';
import type { Tokens } from './checks/fencing.js';
import type { Violation } from './history/history.js';
import { playRound, type RoundReport } from './round.js';
import { endStage } from './stage/end-stage.js';
import { Stage } from './stage/stage.js';

export interface SoakOptions extends PlanOptions {
  readonly seed: number;
  /** The worker's main file. @default the one of this build */
  readonly program?: string;
  /** No new round begins after this many minutes. @default as long as each fault takes once */
  readonly minutes?: number | undefined;
  /** The number of the first configuration; earlier ones are left out. @default 1 */
  readonly from?: number;
  /** Ends at the first violation. */
  readonly untilViolation?: boolean;
  /** Called before the first round of each configuration. */
  readonly onStretch?: (stretch: Stretch) => void;
  /** Called after each round. */
  readonly onRound?: (report: RoundReport) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly rounds: readonly RoundReport[];
  /** Violations at the end of each configuration, when everything was closed. */
  readonly leftovers: readonly Violation[];
  readonly configurations: readonly Configuration[];
}

/**
 * Inflicts every fault once, in an order that the seed decides, and again until the time is over.
 * Configurations follow one another, each on new servers.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, faults, minutes, from = 1, onStretch } = options;
  const end = minutes === undefined ? undefined : performance.now() + minutes * 60_000;
  const report = { seed, rounds: [], leftovers: [], configurations: [] };
  const run: Run = { options, report, isOver: () => end !== undefined && performance.now() >= end };
  let left = faults.length;
  for (const stretch of plan(new Random(seed), options)) {
    left -= stretch.faults.length;
    if (stretch.number < from) continue;
    onStretch?.(stretch);
    await play(stretch, run);
    if (end === undefined ? left === 0 : run.isOver()) break;
    if (options.untilViolation && isBroken(report)) break;
  }
  return report;
}

interface Run {
  readonly options: SoakOptions;
  readonly report: {
    readonly rounds: RoundReport[];
    readonly leftovers: Violation[];
    readonly configurations: Configuration[];
  };
  readonly isOver: () => boolean;
}

/** All rounds of one configuration, on servers and replicas of their own. */
async function play(stretch: Stretch, { options, report, isOver }: Run): Promise<void> {
  const { configuration, faults, number, random } = stretch;
  const { seed, program, untilViolation = false, onRound } = options;
  const tokens: Tokens = new Map();
  report.configurations.push(configuration);
  await using stage = await Stage.open(random, configuration, program);
  for (const [index, fault] of faults.entries()) {
    const round = await playRound(stage, fault, random.fork(), tokens);
    report.rounds.push(round);
    if (round.violations.length > 0) {
      stage.keepJournals(`seed-${seed}-configuration-${number}-round-${index + 1}`);
    }
    onRound?.(round);
    if (untilViolation && isBroken(report)) return;
    // Processes may still be in it, and a server that lost something keeps on losing it.
    if (isOver() || round.violations.length > 0) break;
  }
  const lengthened = Math.max(...faults.map(({ lengthensSessions = 1 }) => lengthensSessions));
  report.leftovers.push(...(await endStage(stage, lengthened)));
}

function isBroken({ rounds }: Pick<SoakReport, 'rounds'>): boolean {
  return rounds.some(({ violations }) => violations.length > 0);
}
