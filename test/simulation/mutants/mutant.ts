/** The lock libraries with one deliberate mistake in their source. */
export interface Mutant {
  /** Describes the mistake. */
  readonly name: string;
  /** The path below `src` of zk-locks or zk-client. */
  readonly file: string;
  /** The text to replace. It occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Why no simulated story can reveal the mistake. */
  readonly untold?: string;
  /** A test file that reveals the mistake, if simulated stories do not or only by chance. */
  readonly test?: string;
}
