import { allFlagsOf } from '../command-line.js';
import type { Flags } from '../flags.js';
import type { Verb } from '../verb.js';

export function bashCompletion(verbs: readonly Verb[]): string {
  const commands = verbs.filter(({ takesCommand }) => takesCommand).map(({ name }) => name);
  return `# bash completion of zk-lock: eval "$(zk-lock completion bash)"
_zk_lock() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...verbs.map(({ name }) => name), 'help'].join(' ')}' -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
    ${commands.join(' | ')})
      for ((i = 2; i < COMP_CWORD; i++)); do
        [[ \${COMP_WORDS[i]} == -- ]] || continue
        if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$cur")); fi
        compopt -o default 2> /dev/null
        return
      done
      ;;
  esac
  case $prev in
${[...values(verbs)].map(([pattern, action]) => `    ${pattern}) ${action} ;;`).join('\n')}
  esac
  case \${COMP_WORDS[1]} in
${verbs.map((verb) => `    ${verb.name}) COMPREPLY=($(compgen -W '${wordsOf(verb)}' -- "$cur")) ;;`).join('\n')}
    help) COMPREPLY=($(compgen -W '${[...verbs.map(({ name }) => name), 'connection'].join(' ')}' -- "$cur")) ;;
  esac
}
complete -F _zk_lock zk-lock
`;
}

/** The completions of each flag that takes a value. */
function values(verbs: readonly Verb[]): Map<string, string> {
  const all: Flags = Object.assign({}, ...verbs.map(allFlagsOf)) as Flags;
  const actions = new Map<string, string>();
  for (const [name, { value, choices }] of Object.entries(all)) {
    if (value === undefined) continue;
    const none = 'return';
    const files = String.raw`compopt -o filenames 2> /dev/null; local IFS=$'\n'; COMPREPLY=($(compgen -f -- "$cur")); return`;
    const words = Array.isArray(choices)
      ? `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return`
      : none;
    actions.set(`--${name}`, choices === 'files' ? files : words);
  }
  return actions;
}

/** The flags of a verb, and what its operand can be. */
function wordsOf(verb: Verb): string {
  const flags = Object.keys(allFlagsOf(verb)).map((name) => `--${name}`);
  return [...(verb.operandChoices ?? []), ...flags].join(' ');
}
