import type { Contender } from '../contenders/contender.js';
import type { Sample } from '../measure/results.js';
import type { PlaceName, Stage } from '../servers/stage.js';
import type { Column } from '../report/column.js';

/** Measures one contender, a round at a time. */
export type Round = (seconds: number) => Promise<Sample>;

/** Work for all contenders that support it. */
export interface Workload {
  readonly name: string;
  /** Its description, as a sentence of the results. */
  readonly about: string;
  readonly place: PlaceName;
  /** The columns of its table, after the contenders' names. */
  readonly columns: readonly Column[];
  /**
   * The number of rounds that are worth their time. There is no warm-up round then.
   *
   * @default all requested rounds, after one to warm up
   */
  readonly someRounds?: (asked: number) => number;
  suits(contender: Contender): boolean;
  /** Prepares whatever is not part of the rounds. */
  open(stage: Stage, contender: Contender): Promise<Round>;
}

/** The numbers of the rounds, in order; 0 is the warm-up round. */
export function roundsOf({ someRounds }: Workload, asked: number): number[] {
  const first = someRounds ? 1 : 0;
  const last = someRounds?.(asked) ?? asked;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
