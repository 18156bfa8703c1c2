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
  /** @default each in turn */
  readonly client?: ClientName | undefined;
  /** No new round begins after this many minutes. @default as long as each client meets each fault once */
  readonly minutes?: number | undefined;
  /** Called after each round. */
  readonly onRound?: (report: RoundReport) => void;
}

export interface SoakReport {
  readonly seed: number;
  readonly rounds: readonly RoundReport[];
  /** Violations at the end of each stage, when everything was closed. */
  readonly leftovers: readonly Violation[];
}

/**
 * Inflicts every fault once under each configuration, in an order that the seed decides, and again until
 * the time is over. Each time servers and replicas are new.
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
        // Processes may still be in it, and a server that lost something keeps on losing it.
        if (isOver() || round.violations.length > 0) break;
      }
      leftovers.push(...(await endStage(stage)));
    }
  } while (end !== undefined && !isOver());
  return { seed, rounds, leftovers };
}
