import type { Configuration } from '../configuration/configuration.js';

/** A lock library that is broken on purpose, by one change in its source. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** Below `libs/zk-locks/src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
  /** The faults that bring it to light, each by a part of its name. */
  readonly faults: readonly string[];
  /** The test file that brings it to light, where a round of the soak does so only by chance. */
  readonly test?: string;
  /** What it needs to be found. @default the usual configuration, without cohorts or kept locks */
  readonly configuration?: Partial<Configuration>;
}
