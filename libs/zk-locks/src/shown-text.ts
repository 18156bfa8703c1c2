/**
 * Characters that a reader cannot see: control characters, line breaks, direction marks, zero-width
 * characters, all spaces except the plain one, and plain spaces at either end or next to another
 * space.
 */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|^ | $| (?= )/gu;

/** A backslash that would be read as the start of an escape. */
const LIKE_AN_ESCAPE = /\\(?=u\{)/g;

const ESCAPE = /\\u\{([0-9a-f]{1,6})\}/gi;

/**
 * A key as people see and type it. Invisible characters are written as `\u{a}`, all others
 * unchanged. Two different keys are never shown in the same way: {@link textShownAs} is the
 * inverse. (Similar letters of different scripts can still look alike.)
 *
 * Unlike `cleanText`, it distinguishes a line break from the text `\u{a}`.
 */
export function shownText(text: string): string {
  return text.replace(LIKE_AN_ESCAPE, '\\u{5c}').replace(UNSEEN, escapeOf);
}

/** The text that {@link shownText} shows in this way. */
export function textShownAs(shown: string): string {
  return shown.replace(ESCAPE, (escape, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code > 0x10_ffff ? escape : String.fromCodePoint(code);
  });
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
