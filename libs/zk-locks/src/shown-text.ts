/**
 * What a reader cannot see: control characters, line ends, marks of direction, characters without a
 * width, all spaces but the plain one, and plain spaces at an end or beside another space.
 */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|^ | $| (?= )/gu;

/** A backslash that would be read as the start of an escape. */
const LIKE_AN_ESCAPE = /\\(?=u\{)/g;

const ESCAPE = /\\u\{([0-9a-f]{1,6})\}/gi;

/**
 * A key as people see it and type it. What cannot be seen stands as `\u{a}`, all else as it is. Two
 * keys are never shown by the same characters: {@link textShownAs} is the reverse. (Letters that look
 * alike, as those of two scripts, still do.)
 *
 * Unlike `cleanText`, which writes a line break and the text `\u{a}` in the same way.
 */
export function shownText(text: string): string {
  return text.replace(LIKE_AN_ESCAPE, '\\u{5c}').replace(UNSEEN, escapeOf);
}

/** The text that {@link shownText} shows like this. */
export function textShownAs(shown: string): string {
  return shown.replace(ESCAPE, (escape, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code > 0x10_ffff ? escape : String.fromCodePoint(code);
  });
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
