import { describe, expect, it } from 'vitest';
import { LockKeyError } from '../../locks/lock-errors.js';
import { compileKey } from './lock-key.js';

describe('the key of a call', () => {
  it('is a text, a filled template, or what the function makes of the arguments', () => {
    expect(compileKey('report')([])).toBe('report');
    expect(compileKey('order:{0}')([7])).toBe('order:7');
    expect(compileKey((a: string, b: number) => `${a}-${b}`)(['x', 1])).toBe('x-1');
  });

  it.each([undefined, null, '', 7, {}])('is refused before the first call when it is %j', (key) => {
    expect(() => compileKey(key)).toThrow(LockKeyError);
  });

  it.each([
    [undefined, 'undefined'],
    ['', 'an empty text'],
    [7, 'number'],
    [Promise.resolve('x'), 'a promise'],
  ])('is refused when the function returns %s', (value, described) => {
    const keyOf = compileKey(() => value);
    expect(() => keyOf([])).toThrow(LockKeyError);
    expect(() => keyOf([])).toThrow(`The key function returned ${described}`);
  });

  it('passes on what the function itself throws', () => {
    const keyOf = compileKey(() => {
      throw new RangeError('no such order');
    });
    expect(() => keyOf([])).toThrow(RangeError);
  });
});
