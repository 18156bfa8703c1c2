import { parseArgs } from 'node:util';
import { CONNECTION_FLAGS, type Flags, FlagValues } from './flags.js';
import { UsageError } from './usage-error.js';
import type { Call, Verb } from './verb.js';

/** The flags of a verb, including those of the connection and `--help`. */
export function allFlagsOf({ flags, connects }: Verb): Flags {
  return {
    ...flags,
    ...(connects && CONNECTION_FLAGS),
    help: { short: 'h', help: 'Prints this help.' },
  };
}

/**
 * Reads what follows the verb.
 *
 * @throws {UsageError}
 */
export function parseCall(
  verb: Verb,
  words: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv>,
): Call | 'help' {
  const end = verb.takesCommand ? words.indexOf('--') : -1;
  const own = end === -1 ? words : words.slice(0, end);
  const { values, positionals: operands } = parse(verb, own);
  if (values.help === true) return 'help';
  const command = end === -1 ? [] : words.slice(end + 1);
  checkOperands(verb, operands);
  // An empty word, as from an unset variable, does not name a program.
  if (verb.takesCommand && !command[0]) {
    throw new UsageError(
      `No command was given: write it after "--", as in: ${verb.examples[0] ?? ''}`,
    );
  }
  return { flags: new FlagValues(allFlagsOf(verb), values, environment), operands, command };
}

type Values = Readonly<Record<string, string | boolean | undefined>>;

function parse(verb: Verb, words: readonly string[]): { values: Values; positionals: string[] } {
  const options = Object.entries(allFlagsOf(verb)).map(([name, { value, short }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ]);
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(options) as Record<string, { type: 'string' | 'boolean' }>,
    });
  } catch (error) {
    // The rest of Node's message is advice that does not apply here.
    const [problem = ''] = (error as Error).message.split(/\.? ?\n|\. /);
    throw new UsageError(`${problem}. "zk-lock help ${verb.name}" lists the options.`);
  }
}

function checkOperands({ name, operands, takesCommand }: Verb, given: readonly string[]): void {
  const missing = operands.slice(given.length).find((operand) => !operand.startsWith('['));
  if (missing !== undefined) {
    throw new UsageError(`${missing} is missing: "zk-lock help ${name}" explains how to use it.`);
  }
  const surplus = given[operands.length];
  if (surplus === undefined) return;
  const remedy = takesCommand
    ? 'write "--" before the command'
    : `"zk-lock help ${name}" explains how to use it`;
  throw new UsageError(`"${surplus}" was not expected: ${remedy}.`);
}
