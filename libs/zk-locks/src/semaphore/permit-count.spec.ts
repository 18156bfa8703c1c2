import { describe, expect, it } from 'vitest';
import { SharedCountError } from '../lock/lock-errors.js';
import { formatCount, parseCount } from './permit-count.js';

describe('a shared count', () => {
  it.each([
    [0, [0, 0, 0, 0]],
    [4, [0, 0, 0, 4]],
    [0x01020304, [1, 2, 3, 4]],
    [0x7fffffff, [0x7f, 0xff, 0xff, 0xff]],
    [-1, [0xff, 0xff, 0xff, 0xff]],
  ])('of %i is written as Curator writes it', (count, bytes) => {
    expect([...formatCount(count)]).toEqual(bytes);
    expect(parseCount('/c', Buffer.from(bytes))).toBe(count);
  });

  it.each([0, 1, 3, 5, 8])('is refused by its path in %i bytes', (length) => {
    const parse = (): unknown => parseCount('/counts/gpu', Buffer.alloc(length));
    expect(parse).toThrow(SharedCountError);
    expect(parse).toThrow('/counts/gpu does not hold a shared count');
  });
});
