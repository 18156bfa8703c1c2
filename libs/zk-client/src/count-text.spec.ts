import { expect, it } from 'vitest';
import { countText } from './count-text.js';

it.each([
  [0, '0 calls'],
  [1, '1 call'],
  [2, '2 calls'],
])('a number stands with its noun: %d', (count, text) => {
  expect(countText(count, 'call')).toBe(text);
});
