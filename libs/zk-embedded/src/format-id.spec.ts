import { expect, it } from 'vitest';
import { formatId, parseId } from './format-id.js';

it.each([
  { id: 0n, text: '0x0' },
  { id: 0x1000abcn, text: '0x1000abc' },
  { id: -1n, text: '0xffffffffffffffff' },
  { id: -(2n ** 63n), text: '0x8000000000000000' },
])('$id is $text, there and back', ({ id, text }) => {
  expect(formatId(id)).toBe(text);
  expect(parseId(text)).toBe(id);
  expect(parseId(text.slice(2).toUpperCase())).toBe(id);
});

it.each(['', '0x', 'xyz', '-1', '0x1 ', '0x10000000000000000'])('refuses %j', (text) => {
  expect(() => parseId(text)).toThrow(TypeError);
});
