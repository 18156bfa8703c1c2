/**
 * Line breaks, escapes, direction marks and other characters that control a terminal without being
 * shown.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/**
 * Text from outside (keys, names and data of nodes) as one line that is safe in a log: `a\u{a}b`.
 */
export function cleanText(text: string): string {
  if (!UNPRINTABLE.test(text)) return text;
  return text.replace(ALL_UNPRINTABLE, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

const LONGEST_SHOWN = 80;

/** Like {@link cleanText}, shortened to fit into a sentence. */
export function shortText(text: string): string {
  const line = cleanText(text);
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
