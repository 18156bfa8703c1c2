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
  /** The most rounds that are worth their time; then none of them is for warming up. @default as many as asked for */
  readonly maxRounds?: number;
  suits(contender: Contender): boolean;
  /** Gets everything ready that does not belong to a round. */
  open(stage: Stage, contender: Contender): Promise<Round>;
}
