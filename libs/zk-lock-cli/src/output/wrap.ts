/** A command that users may paste counts as one word, including the spaces inside its quotes. */
const WORD = /\(?zkCli\.sh \w+ (?:\$'(?:[^'\\]|\\.)*'|'[^']*'|\\'|[^\s'])+|[^ ]+/g;

/** Lines of at most `width` columns, each indented; a longer word gets a line of its own. */
export function wrap(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(WORD) ?? []) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each);
}
