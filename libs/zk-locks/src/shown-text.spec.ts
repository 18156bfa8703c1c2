import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownText, textShownAs } from './shown-text.js';

it.each([
  ['order:42', 'order:42'],
  ['große Straße 日本 🎟', 'große Straße 日本 🎟'],
  ['C:\\users\\x', 'C:\\users\\x'],
  ['a\nb', 'a\\u{a}b'],
  ['a\\u{a}b', 'a\\u{5c}u{a}b'],
  ['a\\\nb', 'a\\\\u{a}b'],
  ['k5\u202eevil', 'k5\\u{202e}evil'],
  ['\u009b2K', '\\u{9b}2K'],
  ['a\u00a0b\u2003c\u3000d', 'a\\u{a0}b\\u{2003}c\\u{3000}d'],
  ['a\u034fb\u3164c\ufe0fd\u2800e', 'a\\u{34f}b\\u{3164}c\\u{fe0f}d\\u{2800}e'],
  [' a  b ', '\\u{20}a\\u{20} b\\u{20}'],
  ['half \ud83d', 'half \\u{d83d}'],
])('%j is shown as %j', (text, shown) => {
  expect(shownText(text)).toBe(shown);
  expect(textShownAs(shown)).toBe(text);
});

it('reads an escape that stands for no character as plain text', () => {
  expect(textShownAs('\\u{ffffff} \\u{} \\u{1234567}')).toBe('\\u{ffffff} \\u{} \\u{1234567}');
});

/** Pieces that meet in the worst ways, and any characters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\\', 'u', '{', '}', 'a', '5c', ' ', '\n', '\\u{a}', '\\u{5c}', '\ud83d'),
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((pieces) => pieces.join(''));

it('shows different texts differently, and only visible characters', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = shownText(text);
      expect(textShownAs(shown)).toBe(text);
      expect(shown).not.toMatch(/(?! )[\p{C}\p{Z}\p{DI}]|^ | $| {2}/u);
    }),
    { numRuns: 2_000 },
  );
});
