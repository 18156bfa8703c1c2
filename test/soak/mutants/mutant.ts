import type { Configuration } from '../configuration/configuration.js';

/** A lock library that is broken on purpose, by one change in its source. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** Below `src` of zk-locks or zk-client. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** The faults that reveal it, each by a part of its name. */
  readonly faults: readonly string[];
  /** The test file that reveals it, if a round of the soak does so only by chance. */
  readonly test?: string;
  /** What it needs to be found. @default the usual configuration, without cohorts or kept locks */
  readonly configuration?: Partial<Configuration>;
}
