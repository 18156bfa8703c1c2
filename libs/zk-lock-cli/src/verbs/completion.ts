import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import { ExitCode } from '../exit-codes.js';
import { print } from '../output/print.js';
import { UsageError } from '../usage-error.js';
import type { Verb } from '../verb.js';

const SHELLS: ReadonlyMap<string, (verbs: readonly Verb[]) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

/** @param verbs all verbs, including this one */
export function completionOf(verbs: () => readonly Verb[]): Verb {
  const shells = [...SHELLS.keys()];
  return {
    name: 'completion',
    summary: 'Prints a completion script for a shell.',
    operands: ['SHELL'],
    operandChoices: shells,
    connects: false,
    flags: {},
    description: [
      `Prints a script for SHELL, which is ${shells.join(', ')}. Load it in the start-up file of your shell: eval "$(zk-lock completion bash)", the same for zsh after compinit, or zk-lock completion fish | source.`,
    ],
    examples: ['zk-lock completion bash', 'zk-lock completion zsh', 'zk-lock completion fish'],
    run({ operands: [shell = ''] }) {
      const make = SHELLS.get(shell);
      if (make === undefined) {
        throw new UsageError(
          `There is no completion for "${shell}". Pass one of ${shells.join(', ')}.`,
        );
      }
      print(make(verbs()).trimEnd());
      return Promise.resolve(ExitCode.ok);
    },
  };
}
