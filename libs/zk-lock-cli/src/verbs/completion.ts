import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import { ExitCode } from '../exit-codes.js';
import { print } from '../output/print.js';
import { UsageError } from '../usage-error.js';
import type { Verb } from '../verb.js';

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** @param verbs all verbs, this one among them */
export function completionOf(verbs: () => readonly Verb[]): Verb {
  const shells = Object.keys(SHELLS);
  return {
    name: 'completion',
    summary: 'Prints what lets a shell complete the words of zk-lock.',
    operands: ['SHELL'],
    operandChoices: shells,
    connects: false,
    flags: {},
    description: [
      `Prints a script for SHELL, which is ${shells.join(', ')}. Read it in the start-up file of the shell, as in the examples.`,
    ],
    examples: ['zk-lock completion bash', 'zk-lock completion zsh', 'zk-lock completion fish'],
    run({ operands: [shell = ''] }) {
      const make = SHELLS[shell];
      if (make === undefined) {
        throw new UsageError(`"${shell}" has no completion here: name ${shells.join(', ')}.`);
      }
      print(make(verbs()).trimEnd());
      return Promise.resolve(ExitCode.ok);
    },
  };
}
