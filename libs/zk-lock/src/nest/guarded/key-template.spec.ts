import { describe, expect, it } from 'vitest';
import { LockKeyError } from '../../locks/lock-errors.js';
import { parseKeyTemplate, renderKey } from './key-template.js';

const render = (template: string, ...args: unknown[]) =>
  renderKey(parseKeyTemplate(template), args);

describe('a key template', () => {
  it.each<[template: string, key: string, args: unknown[]]>([
    ['nightly-report', 'nightly-report', []],
    ['order:{0}', 'order:42', ['42']],
    ['order:{0.id}', 'order:42', [{ id: 42 }]],
    ['{1}/{0.user.name}', '7/ada', [{ user: { name: 'ada' } }, 7n]],
    ['first:{0.0.id}', 'first:a', [[{ id: 'a' }]]],
    ['{0}{1}', 'truefalse', [true, false]],
    ['{0.length}', '4', ['four']],
    ['{{0}}:{0}', '{0}:x', ['x']],
    ['{{{0}}}', '{x}', ['x']],
    ['große:{0}', 'große:日本', ['日本']],
    ['zero:{0}', 'zero:0', [0]],
    ['{0.dashed-name}', '1', [{ 'dashed-name': 1 }]],
  ])('%s gives %s', (template, key, args) => {
    expect(render(template, ...args)).toBe(key);
  });

  it.each([
    ['order:{', "a stray '{'"],
    ['order:}', "a stray '}'"],
    ['order:{0', "a stray '{'"],
    ['{0}}', "a stray '}'"],
    ['order:{}', "the hole '{}'"],
    ['order:{id}', "the hole '{id}'"],
    ['order:{0.}', "the hole '{0.}'"],
    ['order:{0..id}', "the hole '{0..id}'"],
    ['order:{ 0 }', "the hole '{ 0 }'"],
    ['order:{-1}', "the hole '{-1}'"],
  ])('%s is refused for %s', (template, problem) => {
    expect(() => parseKeyTemplate(template)).toThrow(LockKeyError);
    expect(() => parseKeyTemplate(template)).toThrow(problem);
  });

  it.each<[value: unknown, problem: string]>([
    [undefined, "'{0.id}' of the key is undefined"],
    [null, 'is null'],
    ['', 'is an empty text'],
    [NaN, 'is NaN'],
    [{}, 'is of type object'],
    [[1], 'is of type object'],
    [() => 1, 'is of type function'],
    [Symbol('s'), 'is of type symbol'],
  ])('names the hole that found %s', (value, problem) => {
    expect(() => render('order:{0.id}', { id: value })).toThrow(LockKeyError);
    expect(() => render('order:{0.id}', { id: value })).toThrow(problem);
  });

  it.each([undefined, null, { user: undefined }, 'text'])(
    'names the hole whose path leads nowhere in %j',
    (argument) => {
      expect(() => render('{0.user.id}', argument)).toThrow("'{0.user.id}' of the key");
    },
  );
});
