import { expect, it } from 'vitest';
import { following, formatSequence } from './sequence.js';

it.each([
  { number: 0, text: '0000000000', next: 1 },
  { number: 9, text: '0000000009', next: 10 },
  { number: 2_147_483_646, text: '2147483646', next: 2_147_483_647 },
  { number: 2_147_483_647, text: '2147483647', next: 2_147_483_647 },
  { number: -2_147_483_648, text: '-2147483648', next: -2_147_483_647 },
  { number: -7, text: '-000000007', next: -6 },
  { number: -1, text: '-000000001', next: 0 },
])('$number is written as $text, and $next comes after it', ({ number, text, next }) => {
  expect(formatSequence(number)).toBe(text);
  expect(following(number)).toBe(next);
});
