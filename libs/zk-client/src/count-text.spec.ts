import { expect, it } from 'vitest';
import { ageText, shortAgeText } from './count-text.js';

it.each([
  [-5_000, '0 s'],
  [59_999, '59 s'],
  [245_000, '4 min 05 s'],
  [3 * 3_600_000 + 720_000, '3 h 12 min'],
  [123 * 3_600_000, '5 d 3 h'],
])('%i ms is written as %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

it.each([
  [-5, '0 ms'],
  [999.4, '999 ms'],
  [3_450, '3.4 s'],
  [245_000, '4 min 05 s'],
])('a short time of %d ms is written as %s', (ms, text) => {
  expect(shortAgeText(ms)).toBe(text);
});
