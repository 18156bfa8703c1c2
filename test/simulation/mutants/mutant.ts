/** A lock library that is broken on purpose, by one change in its source. */
export interface Mutant {
  /** What it does wrong. */
  readonly name: string;
  /** Below `src` of zk-locks or zk-client. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Why no simulated story can tell anything of it. */
  readonly untold?: string;
  /** A test file that reveals it, where no simulated story does, or only by chance. */
  readonly test?: string;
}
