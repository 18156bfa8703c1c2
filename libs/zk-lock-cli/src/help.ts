import { allFlagsOf } from './command-line.js';
import { CONNECTION_FLAGS, type Flag, type Flags } from './flags.js';
import { wrap } from './output/wrap.js';
import type { Verb } from './verb.js';

const INDENT = 2;
const HANGING = 8;

const CONNECTION =
  'ZK_CONNECT or --connect says where ZooKeeper is. "zk-lock help connection" lists all options of the connection and their variables.';

const TIME = 'Write a TIME as 500ms, 10s, 5m or 1h. A plain number means seconds.';

/** The help page of the flags that all connecting verbs share. */
export function connectionPage(width: number): string {
  return [
    'CONNECTION',
    ...wrap(
      'You can also set each option with its environment variable. An option takes precedence over its variable.',
      width,
      INDENT,
    ),
    '',
    ...flagLines(CONNECTION_FLAGS, width),
    '',
  ].join('\n');
}

/** The list of verbs. */
export function overview(verbs: readonly Verb[], width: number): string {
  const longest = Math.max(...verbs.map(({ name }) => name.length));
  return [
    'Distributed locks on Apache ZooKeeper for the shell.',
    '',
    'Usage: zk-lock VERB …',
    '',
    ...verbs.flatMap(({ name, summary }) => {
      const [first = '', ...others] = wrap(summary, width, longest + 2 * INDENT);
      return [`  ${name.padEnd(longest)}  ${first.trimStart()}`, ...others];
    }),
    '',
    ...wrap(
      'Set ZK_CONNECT to the servers, as in ZK_CONNECT=zk1:2181,zk2:2181. "zk-lock help VERB" explains how to use a verb, and "zk-lock help connection" how to connect.',
      width,
    ),
    '',
  ].join('\n');
}

/** The help page of a verb. */
export function page(verb: Verb, width: number): string {
  const { name, summary, description, flags, connects, exitCodes = [], examples } = verb;
  const text = (paragraph: string): string[] => wrap(paragraph, width, INDENT);
  const own = { ...flags, help: allFlagsOf(verb).help } as Flags;
  return [
    'NAME',
    ...text(`zk-lock ${name} - ${summary.replace(/^[A-Z]/, lower).replace(/\.$/, '')}`),
    '',
    'SYNOPSIS',
    ...text(synopsis(verb)),
    '',
    'DESCRIPTION',
    ...description.flatMap((paragraph, index) => [...(index > 0 ? [''] : []), ...text(paragraph)]),
    '',
    'OPTIONS',
    ...flagLines(own, width),
    ...(connects ? ['', 'CONNECTION', ...text(CONNECTION)] : []),
    ...(exitCodes.length > 0 ? ['', 'EXIT STATUS'] : []),
    ...exitCodes.flatMap(([code, meaning]) => wrap(`${code}: ${meaning}`, width, INDENT)),
    '',
    'EXAMPLES',
    ...examples.map((example) => ' '.repeat(INDENT) + example),
    '',
  ].join('\n');
}

export function synopsis({ name, operands, takesCommand }: Verb): string {
  const words = ['zk-lock', name, ...operands, '[OPTIONS]'];
  return [...words, ...(takesCommand ? ['--', 'COMMAND…'] : [])].join(' ');
}

function flagLines(flags: Flags, width: number): string[] {
  const lines = Object.entries(flags).flatMap(([name, flag]) => [
    ' '.repeat(INDENT) + term(name, flag),
    ...wrap(flag.help, width, HANGING),
  ]);
  const hasTime = Object.values(flags).some(({ value }) => value === 'TIME');
  return hasTime ? [...lines, '', ...wrap(TIME, width, INDENT)] : lines;
}

/** `-w, --wait TIME`; `--connect SERVERS, ZK_CONNECT`. */
function term(name: string, { short, value, variable }: Flag): string {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}`;
  const all = [short === undefined ? undefined : `-${short}`, long, variable];
  return all.filter((word) => word !== undefined).join(', ');
}

const lower = (letter: string): string => letter.toLowerCase();
