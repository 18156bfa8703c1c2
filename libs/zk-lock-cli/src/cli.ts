import { cleanText } from 'zk-locks/inspect';
import { parseCall } from './command-line.js';
import { ExitCode } from './exit-codes.js';
import { explain } from './explain.js';
import { connectionPage, overview, page } from './help.js';
import { print } from './output/print.js';
import { warn } from './output/say.js';
import { UsageError } from './usage-error.js';
import { findVerb, VERBS } from './verbs/all.js';

/** Written by the bundler. */
declare const PACKAGE_VERSION: string;

const LONGEST_LINE = 100;

async function runWords([name, ...words]: readonly string[]): Promise<number> {
  if (name === undefined) throw new UsageError('No verb was given: "zk-lock help" lists them.');
  if (['--version', '-V', 'version'].includes(name)) return say(`zk-lock ${PACKAGE_VERSION}`);
  const isHelp = ['help', '--help', '-h'].includes(name);
  if (isHelp && words[0] === undefined) return say(overview(VERBS, helpWidth()));
  if (isHelp && words[0] === 'connection') return say(connectionPage(helpWidth()));
  const verb = findVerb(isHelp ? (words[0] ?? '') : name);
  if (verb === undefined) {
    throw new UsageError(
      `Unknown verb "${isHelp ? (words[0] ?? '') : name}": "zk-lock help" lists the verbs.`,
    );
  }
  const call = isHelp ? 'help' : parseCall(verb, words, process.env);
  if (call === 'help') return say(page(verb, helpWidth()));
  setTitle(verb.name, call.operands);
  return verb.run(call);
}

/**
 * Names this process in process lists, so that `pkill node` does not find it. The arguments of the
 * command are left out, because they may be secrets.
 */
function setTitle(verb: string, [key]: readonly string[]): void {
  // On Windows this changes the title of the console, which outlives this program.
  if (process.platform === 'win32') return;
  process.title = `zk-lock ${verb}${key === undefined ? '' : ` ${cleanText(key)}`}`;
}

/** Used only for help: reading it makes Node change standard output, which commands share. */
function helpWidth(): number {
  return Math.min(process.stdout.columns || LONGEST_LINE, LONGEST_LINE);
}

function say(text: string): number {
  print(text);
  return ExitCode.ok;
}

async function main(): Promise<void> {
  try {
    process.exitCode = await runWords(process.argv.slice(2));
  } catch (error) {
    const { message, exitCode } = explain(error);
    warn(message);
    process.exitCode = exitCode;
  }
}

void main();
