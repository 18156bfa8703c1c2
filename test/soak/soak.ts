import { Random } from '../../apps/soak-worker/src/random.js';
import type { Tokens } from './checks/fencing.js';
import type { Violation } from './history/history.js';
import type { Fault } from './nemesis/fault.js';
import { playRound, type RoundReport } from './round.js';
import { endStage } from './stage/end-stage.js';
import { Stage, type StageOptions } from './stage/stage.js';

export interface SoakOptions extends StageOptions {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** No new round begins after so many minutes. @default as long as each fault takes once */
  readonly minutes?: number;
  /** Ends at the first violation. */
  readonly untilViolation?: boolean;
  /** Called after each round. */
  readonly onRound?: (report: RoundReport) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly rounds: readonly RoundReport[];
  /** Of the end, when everything was closed. */
  readonly leftovers: readonly Violation[];
}

/** Meets every fault once, in an order that the seed decides, and again until the time is over. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, faults, minutes, untilViolation = false, onRound } = options;
  const random = new Random(seed);
  const end = minutes === undefined ? 0 : performance.now() + minutes * 60_000;
  const tokens: Tokens = new Map();
  const rounds: RoundReport[] = [];
  const isBroken = (): boolean => rounds.some(({ violations }) => violations.length > 0);

  await using stage = await Stage.open(random, options);
  do {
    for (const fault of random.shuffle(faults)) {
      const round = await playRound(stage, fault, random.fork(), tokens);
      rounds.push(round);
      if (round.violations.length > 0) stage.keepJournals(`seed-${seed}-round-${rounds.length}`);
      onRound?.(round);
      if (untilViolation && isBroken()) return { seed, rounds, leftovers: [] };
      if (minutes !== undefined && performance.now() >= end) break;
    }
  } while (performance.now() < end);
  return { seed, rounds, leftovers: await endStage(stage) };
}
