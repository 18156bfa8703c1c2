import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanText } from './clean-text.js';

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

it.each([
  ['order:42', 'order:42'],
  ['große Straße 日本 🎟', 'große Straße 日本 🎟'],
  ['a\nb\r\n', 'a\\u{a}b\\u{d}\\u{a}'],
  ['\u001b[2K', '\\u{1b}[2K'],
  ['\u202etxt.exe', '\\u{202e}txt.exe'],
  ['a\u2028b\u2029\u0085\0', 'a\\u{2028}b\\u{2029}\\u{85}\\u{0}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['half \ud83d', 'half \\u{d83d}'],
])('%j is shown as %j', (text, shown) => {
  expect(cleanText(text)).toBe(shown);
});

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }))
  .map((codes) => String.fromCodePoint(...codes));

it('turns any text into one line that needs no more cleaning', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = cleanText(text);
      return !UNPRINTABLE.test(shown) && cleanText(shown) === shown;
    }),
  );
});
