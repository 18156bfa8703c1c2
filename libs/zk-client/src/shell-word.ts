/**
 * Words that shells read unchanged. A word that begins with `~` or `=` may be expanded to a path.
 */
const PLAIN = /^(?![~=])[\w/:@%.,=+~-]+$/;

/** The characters that {@link cleanText} would replace in a message. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

const SPECIAL = /[\p{C}\p{Zl}\p{Zp}'\\]/gu;

/**
 * A text from outside as one word of a shell command, which a message shows and people paste:
 * `'/locks/a b'`. If it has characters that a message does not show, it is a word for bash and zsh:
 * `$'a\x0ab'`.
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
