import { describe, expect, it } from 'vitest';
import { refuseHoles } from './key-path.js';
import { LockKeyError } from './lock-errors.js';

const check = (key: string, pattern?: string) => () => refuseHoles({ key, pattern });

describe('a key with a hole that nothing has filled in', () => {
  it.each([
    ['order:${id}', "still contains '${id}'", 'Write the key in backticks'],
    ['${order.id}:x', "still contains '${order.id}'", 'Write the key in backticks'],
    ['order:${idOf({ a })}', "still contains '${idOf({ a }'", 'Write the key in backticks'],
    ['order:{0}', "still contains '{0}'", 'Only decorators fill it in'],
    ['order:{0.id}:x', "still contains '{0.id}'", 'Only decorators fill it in'],
    ['order:{12.a.b-c}', "still contains '{12.a.b-c}'", 'Build the key from its values'],
    ['order:{{0}}', "still contains '{0}'", 'pass the option `pattern`'],
  ])('is refused: %s', (key, problem, remedy) => {
    expect(check(key)).toThrow(LockKeyError);
    expect(check(key)).toThrow(problem);
    expect(check(key)).toThrow(remedy);
  });

  it('may contain literal braces if a pattern says what it is made of', () => {
    expect(check('cart:{42}', 'cart:{id}')).not.toThrow();
    expect(check('file:${project}/a', 'file:{path}')).not.toThrow();
  });

  it.each([
    'order:42',
    'order::id',
    '{',
    '}{',
    '{}',
    '{a}',
    '{user:7}',
    '{"id":7}',
    '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}',
    '$id',
    '${',
    '{0',
    '{-1}',
    '{1.}',
  ])('finds no hole in %s', (key) => {
    expect(check(key)).not.toThrow();
  });
});
