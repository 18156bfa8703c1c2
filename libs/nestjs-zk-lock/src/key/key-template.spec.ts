import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LockKeyError } from 'zk-locks';
import { parseKeyTemplate, renderKey } from './lock-key.js';

const render = (template: string, ...args: unknown[]) =>
  renderKey(parseKeyTemplate(template), args);

describe('a key template', () => {
  it.each<[template: string, key: string, args: unknown[]]>([
    ['nightly-report', 'nightly-report', []],
    ['order:{0}', 'order:42', ['42']],
    ['order:{0.id}', 'order:42', [{ id: 42 }]],
    ['{1}/{0.user.name}', '7/ada', [{ user: { name: 'ada' } }, 7n]],
    ['first:{0.0.id}', 'first:a', [[{ id: 'a' }]]],
    ['{0}-{1}', 'true-false', [true, false]],
    ['doc:{0}:{1}', 'doc:a:b:c', ['a', 'b:c']],
    ['doc:{0}:{1}', 'doc:a%3Ab:c', ['a:b', 'c']],
    ['doc:{0}:{1}', 'doc:a%25:c%', ['a%', 'c%']],
    ['{0}-{1}/{2}', 'a%2Db/c-d-%2Fe/f-/g', ['a-b/c', 'd-/e', 'f-/g']],
    ['doc:{0}', 'doc:a:b%', ['a:b%']],
    ['{0.length}', '4', ['four']],
    ['{{0}}:{0}', '{0}:x', ['x']],
    ['{{{0}}}', '{x}', ['x']],
    ['große:{0}', 'große:日本', ['日本']],
    ['zero:{0}', 'zero:0', [0]],
    ['{0.dashed-name}', '1', [{ 'dashed-name': 1 }]],
    ['order:id', 'order:id', []],
    ['a:b:c/d', 'a:b:c/d', []],
    [':id', ':id', []],
    ['Billing::Invoice', 'Billing::Invoice', []],
    ['fe80::1', 'fe80::1', []],
    ['billing::invoice:{0}', 'billing::invoice:7', [7]],
  ])('%s gives %s', (template, key, args) => {
    expect(render(template, ...args)).toBe(key);
  });

  it.each([
    ['order:{', "a stray '{'"],
    ['order:${0.id}', "a '$' before '{0.id}'"],
    ['order:}', "a stray '}'"],
    ['order:{0', "a stray '{'"],
    ['{0}}', "a stray '}'"],
    ['order:{}', "the placeholder '{}'"],
    ['order:{id}', "the placeholder '{id}'"],
    ['order:${id}', "the placeholder '{id}'"],
    ['order::id', "contains ':id', which is not a placeholder"],
    ['order::id', "Write 'order:{0.id}' for a property of the first argument"],
    ['order::id', "() => 'order::id'"],
    ['orders/:id/lines', "Write 'orders/{0.id}/lines'"],
    ['order:idx::id', "Write 'order:idx:{0.id}'"],
    ['order:{0.}', "the placeholder '{0.}'"],
    ['order:{0..id}', "the placeholder '{0..id}'"],
    ['order:{ 0 }', "the placeholder '{ 0 }'"],
    ['order:{-1}', "the placeholder '{-1}'"],
    ['{0}{1}', "where '{0}' ends"],
    ['{0}:{1}{2}', "where '{1}' ends"],
    ['{0}%{1}', "where '{0}' ends"],
    ['order:{0.__proto__.id}', "'__proto__' is the same for all objects"],
    ['order:{0.constructor.name}', "'constructor' is the same"],
    ['order:{0.id.prototype}', "'prototype' is the same"],
  ])('%s is refused for %s', (template, problem) => {
    expect(() => parseKeyTemplate(template)).toThrow(LockKeyError);
    expect(() => parseKeyTemplate(template)).toThrow(problem);
  });

  it.each<[value: unknown, problem: string]>([
    [undefined, "'{0.id}' in the key is undefined"],
    [null, 'is null'],
    ['', 'is an empty string'],
    [NaN, 'is NaN'],
    [{}, 'is an object'],
    [{}, 'Use a key function, as in (order) => `order:${order.id}`.'],
    [[1], 'is an array'],
    [[1], "Use a key function, as in (ids) => `order:${ids.join(',')}`."],
    [new Date(0), 'is a Date'],
    [new Date(0), 'Use a key function, as in (date) => `order:${date.toISOString()}`.'],
    [runInNewContext('new Date()'), 'is a Date'],
    [Promise.resolve(), 'is a promise'],
    [() => 1, 'is a function'],
    [Symbol('s'), 'is a symbol'],
  ])('names the placeholder whose value is %s', (value, problem) => {
    expect(() => render('order:{0.id}', { id: value })).toThrow(LockKeyError);
    expect(() => render('order:{0.id}', { id: value })).toThrow(problem);
  });

  it('runs no code of the values that it finds', () => {
    const hostile = (): never => {
      throw new Error('hostile');
    };
    const found = new Proxy({}, { get: hostile, getPrototypeOf: hostile, ownKeys: hostile });
    expect(() => render('order:{0}', found)).toThrow('is an object');
  });

  // What separates, what escapes begin with, and what they consist of.
  const text = (minLength: number) =>
    fc.string({ unit: fc.constantFrom(...Array.from(':/-%25A3Fé🎟')), minLength, maxLength: 4 });
  const separator = text(1).filter((between) => !between.startsWith('%'));

  /** Finds the values again, from left to right: a key that can be read has one meaning. */
  const read = (rest: string, between: readonly string[]): string[] => {
    const [literal, ...others] = between;
    if (literal === undefined) return [rest];
    const [end = ''] = literal;
    let length = 0;
    while (length < rest.length && !rest.startsWith(end, length)) {
      length += rest[length] === '%' ? 3 : 1;
    }
    const value = decodeURIComponent(rest.slice(0, length));
    return [value, ...read(rest.slice(length + literal.length), others)];
  };

  it('gives different keys for different values, whatever text separates the placeholders', () => {
    const cases = fc.array(separator, { minLength: 1, maxLength: 3 }).chain((between) => {
      const values = fc.tuple(text(1), ...between.map(() => text(1)));
      return fc.tuple(fc.constant(between), text(0), text(0), values);
    });
    fc.assert(
      fc.property(cases, ([between, before, after, values]) => {
        const holes = between.map((literal, index) => `{${index}}${literal}`).join('');
        const key = render(`${before}${holes}{${between.length}}${after}`, ...values);
        const inner = key.slice(before.length, key.length - after.length);
        expect(read(inner, between)).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });
});
