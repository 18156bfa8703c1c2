import { allFlagsOf } from '../command-line.js';
import type { Flag } from '../flags.js';
import type { Verb } from '../verb.js';

export function zshCompletion(verbs: readonly Verb[]): string {
  const listed = verbs.map(({ name, summary }) => `    ${quote(`${name}:${escape(summary)}`)}`);
  return `#compdef zk-lock
# zsh completion of zk-lock: eval "$(zk-lock completion zsh)", after compinit
_zk_lock() {
  local -a verbs=(
${listed.join('\n')}
    'help:Explains how to use a verb.'
  )
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
${verbs.map(caseOf).join('\n')}
    help)
      verbs+=('connection:Explains how to connect.')
      _describe verb verbs
      ;;
  esac
}
if [[ $funcstack[1] == _zk_lock ]]; then _zk_lock "$@"; else compdef _zk_lock zk-lock; fi
`;
}

/** After "--" comes a command with completions of its own. */
const COMMAND = `      local -i end=\${words[(i)--]}
      if ((end < CURRENT)); then
        shift end words
        ((CURRENT -= end))
        _normal
        return
      fi`;

function caseOf(verb: Verb): string {
  const flags = Object.entries(allFlagsOf(verb)).map(([name, flag]) => specOf(name, flag));
  const operands = verb.operands.map((operand, index) => {
    const choices = verb.operandChoices ? `(${verb.operandChoices.join(' ')})` : ' ';
    return quote(`${index + 1}:${operand.replaceAll(/[[\]]/g, '')}:${choices}`);
  });
  const command = verb.takesCommand ? `${COMMAND}\n` : '';
  return `    ${verb.name})
${command}      _arguments \\
${[...flags, ...operands].map((spec) => `        ${spec}`).join(' \\\n')}
      ;;`;
}

/** `'(-w --wait)'{-w,--wait}'[The longest wait]:TIME: '`. */
function specOf(name: string, { short, value, help, choices }: Flag): string {
  const does = choices === 'files' ? '_files' : choices ? `(${choices.join(' ')})` : ' ';
  const rest = `[${escape(help)}]${value === undefined ? '' : `:${value}:${does}`}`;
  const long = `--${name}`;
  if (short === undefined) return quote(long + rest);
  return `'(-${short} ${long})'{-${short},${long}}${quote(rest)}`;
}

/** Escapes the characters that are syntax in a description. */
const escape = (text: string): string => text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
