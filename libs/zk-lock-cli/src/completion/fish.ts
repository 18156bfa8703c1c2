import { allFlagsOf } from '../command-line.js';
import type { Flag } from '../flags.js';
import type { Verb } from '../verb.js';

export function fishCompletion(verbs: readonly Verb[]): string {
  const names = verbs.map(({ name }) => name).join(' ');
  return `# fish completion of zk-lock: zk-lock completion fish | source
complete -c zk-lock -f
${verbs.map(({ name, summary }) => `complete -c zk-lock -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`).join('\n')}
complete -c zk-lock -n __fish_use_subcommand -a help -d 'Explains how to use a verb.'
complete -c zk-lock -n '__fish_seen_subcommand_from help' -a '${names} connection'
${verbs.flatMap(linesOf).join('\n')}
`;
}

function linesOf(verb: Verb): string[] {
  const start = `complete -c zk-lock -n '__fish_seen_subcommand_from ${verb.name}'`;
  const flags = Object.entries(allFlagsOf(verb)).map(([name, flag]) =>
    [start, ...optionsOf(name, flag)].join(' '),
  );
  const operands = verb.operandChoices ? [`${start} -a '${verb.operandChoices.join(' ')}'`] : [];
  const command = `complete -c zk-lock -n '__fish_seen_subcommand_from ${verb.name}; and contains -- -- (commandline -opc)' -a '(set -l t (commandline -opc) (commandline -ct); __fish_complete_subcommand --commandline $t[(math (contains -i -- -- $t) + 1)..])'`;
  return [...flags, ...operands, ...(verb.takesCommand ? [command] : [])];
}

function optionsOf(name: string, { short, value, help, choices }: Flag): string[] {
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : ['-r']),
    ...(choices === 'files' ? ['-F'] : []),
    ...(Array.isArray(choices) ? [`-a '${choices.join(' ')}'`] : []),
    `-d ${quote(help)}`,
  ];
}

const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
