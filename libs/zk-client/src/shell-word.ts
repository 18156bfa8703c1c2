/** Words that shells read as they are; one that begins with `~` or `=` may be a path to them. */
const PLAIN = /^(?![~=])[\w/:@%.,=+~-]+$/;

/** What {@link cleanText} would replace in a message. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

const SPECIAL = /[\p{C}\p{Zl}\p{Zp}'\\]/gu;

/**
 * A text from outside as one word of a command that a message shows, and people paste into a shell:
 * `'/locks/a b'`. With characters that a message does not show, it is a word of bash and zsh: `$'a\x0ab'`.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!UNPRINTABLE.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replace(SPECIAL, escapeOf)}'`;
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}
