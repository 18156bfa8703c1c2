import type { Flags, FlagValues } from './flags.js';

/** What the command line says, once it has been checked against the verb. */
export interface Call {
  readonly flags: FlagValues;
  /** The words before `--`. */
  readonly operands: readonly string[];
  /** The words after `--`. */
  readonly command: readonly string[];
}

/** A word after the verb, in order. One in brackets is optional. */
export type Operand = 'KEY' | '[KEY]' | '[PREFIX]' | 'SHELL' | '[VERB]';

/** A verb of zk-lock: `run`, `ls`, … */
export interface Verb {
  readonly name: string;
  /** One line, for the list of verbs. */
  readonly summary: string;
  readonly operands: readonly Operand[];
  /** The possible values of its operand, if they are known. */
  readonly operandChoices?: readonly string[];
  /** Whether a command follows `--`. */
  readonly takesCommand?: boolean;
  /** Its own flags, without those of the connection. */
  readonly flags: Flags;
  readonly connects: boolean;
  /** Paragraphs, each one line. */
  readonly description: readonly string[];
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
  readonly examples: readonly string[];
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}
