import { describe, expect, it } from 'vitest';
import { bytes, duration, plain } from './words.js';

describe('words', () => {
  it.each([
    [0.123, '0.12'],
    [1.5, '1.50'],
    [12.34, '12.3'],
    [987.6, '988'],
    [12_345, '12,300'],
    [1_234_567, '1,230,000'],
  ])('of the number %d are %s', (value, words) => expect(plain(value)).toBe(words));

  it.each([
    [0.0123, '12.3 µs'],
    [1, '1.00 ms'],
    [250.4, '250 ms'],
    [1_500, '1.50 s'],
  ])('of %d ms are %s', (value, words) => expect(duration(value)).toBe(words));

  it.each([
    [12, '12 B'],
    [-3_072, '-3.00 KB'],
    [2_048, '2.00 KB'],
    [5 * 1_024 ** 2, '5.00 MB'],
  ])('of %d bytes are %s', (value, words) => expect(bytes(value)).toBe(words));
});
