import type { Flags, FlagValues } from './flags.js';

/** What the command line says, once it has been checked against the verb. */
export interface Call {
  readonly flags: FlagValues;
  /** The words before `--`. */
  readonly operands: readonly string[];
  /** The words after `--`. */
  readonly command: readonly string[];
}

/** A word after its verb, in order; `[KEY]` may be left out. */
export type Operand = 'KEY' | '[KEY]' | '[PREFIX]' | 'SHELL' | '[VERB]';

/** One of the things that zk-lock does: `run`, `ls`, … */
export interface Verb {
  readonly name: string;
  /** One line, for the list of verbs. */
  readonly summary: string;
  readonly operands: readonly Operand[];
  /** What its operand can be, where that is known. */
  readonly operandChoices?: readonly string[];
  /** Whether a command stands after `--`. */
  readonly takesCommand?: boolean;
  /** Without those of the connection, which all verbs have that say so. */
  readonly flags: Flags;
  readonly connects: boolean;
  /** Paragraphs, each one line. */
  readonly description: readonly string[];
  readonly exitCodes?: readonly (readonly [code: string, meaning: string])[];
  readonly examples: readonly string[];
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}
