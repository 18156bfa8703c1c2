/** Line breaks, escapes, marks of direction and what else a terminal obeys without showing it. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** Text from outside (keys, names and data of nodes) as one line that may stand in a log: `a\u{a}b`. */
export function cleanText(text: string): string {
  if (!UNPRINTABLE.test(text)) return text;
  return text.replace(ALL_UNPRINTABLE, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

const LONGEST_SHOWN = 80;

/** As {@link cleanText}, and no longer than a sentence can bear. */
export function shortText(text: string): string {
  const line = cleanText(text);
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
