import { describe, expect, it } from 'vitest';
import { LockKeyError } from 'zk-locks';
import { compileKey, compileKeys, patternOf } from './lock-key.js';

describe('the keys of a call', () => {
  it('are a string, a filled-in template, or the result of the key function', () => {
    expect(compileKeys('report')([])).toEqual(['report']);
    expect(compileKeys('order:{0}')([7])).toEqual(['order:7']);
    expect(compileKeys((a: string, b: number) => `${a}-${b}`)(['x', 1])).toEqual(['x-1']);
  });

  it('are all keys in an array, or in the array that the function returns', () => {
    const keysOf = compileKeys(['a:{0}', 'b', (from: string, to: string) => [from, to]]);
    expect(keysOf(['x', 'y'])).toEqual(['a:x', 'b', 'x', 'y']);
    expect(compileKeys((...ids: string[]) => ids)(['x', 'y'])).toEqual(['x', 'y']);
  });

  it.each([undefined, null, '', 7, {}, [], [''], ['a', 7], new Array<string>(2)])(
    'are refused before the first call when they are %j',
    (keys) => {
      expect(() => compileKeys(keys)).toThrow(LockKeyError);
    },
  );

  it.each([
    [undefined, 'undefined'],
    ['', 'an empty string'],
    [7, 'a number'],
    [new Date(0), 'a Date. It must return a non-empty string'],
    [{}, 'an object'],
    [
      {},
      'an object. It must return a non-empty string, and must not be async, as in (order) => `order:${order.id}`.',
    ],
    [Promise.resolve('x'), 'a promise'],
    [[], 'no keys'],
    [['a', ''], 'an empty string'],
  ])('are refused when the function returns %s', (value, described) => {
    const keysOf = compileKeys(() => value);
    expect(() => keysOf([])).toThrow(LockKeyError);
    expect(() => keysOf([])).toThrow(`The key function returned ${described}`);
  });

  it('are refused before the first call when their function is async', () => {
    const keyOf = async (id: string): Promise<string> => Promise.resolve(`order:${id}`);
    expect(() => compileKeys(keyOf)).toThrow(LockKeyError);
    expect(() => compileKeys(['a', keyOf])).toThrow('The key function is async');
    expect(() => compileKey(keyOf)).toThrow('or await what it needs before');
  });
});

describe('the one key of a call', () => {
  it('is not one of several', () => {
    expect(() => compileKey(['a'])).toThrow(LockKeyError);
    expect(() => compileKey(['a'])).toThrow('must be a string or a function, not an array');
    const keyOf = compileKey(() => ['a']);
    expect(() => keyOf([])).toThrow(LockKeyError);
    expect(() => keyOf([])).toThrow('The key function returned an array');
  });
});

describe('what stands for keys in metrics', () => {
  it.each([
    ['a text', 'nightly', 'nightly'],
    ['a template', 'order:{0.id}', 'order:{0.id}'],
    ['several of them', ['account:{0}', 'account:{1}'], 'account:{0}, account:{1}'],
    ['a function', (id: string) => `order:${id}`, 'Orders.ship'],
    ['a text beside a function', ['a', (id: string) => id], 'Orders.ship'],
  ])('is, for %s, never a key with its arguments', (_what, key, pattern) => {
    expect(patternOf(key, 'Orders.ship')).toBe(pattern);
  });

  it('is no longer than a pattern may be', () => {
    expect(patternOf('x'.repeat(300), 'Orders.ship')).toHaveLength(200);
  });
});
