/** A lock library that is broken on purpose, by one change in its source. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** Below `libs/zk-lock/src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
  /** The faults that bring it to light, each by a part of its name. */
  readonly faults: readonly string[];
  /** What it does wrong is done by replicas that hand locks on; else each of their calls has a node. */
  readonly byCohorts?: boolean;
}
