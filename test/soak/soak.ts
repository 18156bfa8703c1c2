import type { ClientName } from 'nestjs-zk-lock';
import { Random } from '../workers/soak/random.js';
import { CONFIGURATIONS } from './configuration/configuration.js';
import type { Tokens } from './checks/fencing.js';
import type { Violation } from './history/history.js';
import type { Fault } from './nemesis/fault.js';
import { playRound, type RoundReport } from './round.js';
import { endStage } from './stage/end-stage.js';
import { Stage } from './stage/stage.js';

export interface SoakOptions {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** @default all, in turn */
  readonly client?: ClientName | undefined;
  /** No new round begins after this many minutes. @default each client meets each fault once */
  readonly minutes?: number | undefined;
  /** Called after each round. */
  readonly onRound?: (report: RoundReport) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly rounds: readonly RoundReport[];
  /** Violations found after everything was closed at the end of each stage. */
  readonly leftovers: readonly Violation[];
}

/**
 * Inflicts every fault once under each configuration, in an order drawn from the seed, and repeats
 * this until the time is over. Servers and replicas are new each time.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, faults, client, minutes, onRound } = options;
  const random = new Random(seed);
  const end = minutes === undefined ? undefined : performance.now() + minutes * 60_000;
  const isOver = (): boolean => end !== undefined && performance.now() >= end;
  const rounds: RoundReport[] = [];
  const leftovers: Violation[] = [];
  do {
    for (const configuration of CONFIGURATIONS) {
      if (isOver() || (client !== undefined && client !== configuration.client)) continue;
      const tokens: Tokens = new Map();
      await using stage = await Stage.open(random, configuration);
      const possible = faults.filter(({ needs = () => true }) => needs(configuration));
      for (const fault of random.shuffle(possible)) {
        const round = await playRound(stage, fault, random.fork(), tokens);
        rounds.push(round);
        onRound?.(round);
        if (round.violations.length > 0) stage.keepJournals(`seed-${seed}-round-${rounds.length}`);
        // After a violation, processes may still be in it, and a server that lost something does
        // not recover it.
        if (isOver() || round.violations.length > 0) break;
      }
      leftovers.push(...(await endStage(stage)));
    }
  } while (end !== undefined && !isOver());
  return { seed, rounds, leftovers };
}
