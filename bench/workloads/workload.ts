import type { Contender } from '../contenders/contender.js';
import type { Sample } from '../measure/results.js';
import type { PlaceName, Stage } from '../servers/stage.js';
import type { Column } from '../report/column.js';

/** Measures one contender, a round at a time. */
export type Round = (seconds: number) => Promise<Sample>;

/** Work that all contenders do who can. */
export interface Workload {
  readonly name: string;
  /** What it is, as a sentence of the results. */
  readonly about: string;
  readonly place: PlaceName;
  /** What its table shows, right of the contenders' names. */
  readonly columns: readonly Column[];
  /**
   * How many of the rounds asked for are worth their time; none of them is for warming up then.
   * @default all of them, after one to warm up
   */
  readonly someRounds?: (asked: number) => number;
  suits(contender: Contender): boolean;
  /** Gets everything ready that does not belong to a round. */
  open(stage: Stage, contender: Contender): Promise<Round>;
}

/** The numbers of the rounds, in order; 0 is the one to warm up. */
export function roundsOf({ someRounds }: Workload, asked: number): number[] {
  const first = someRounds ? 1 : 0;
  const last = someRounds?.(asked) ?? asked;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
