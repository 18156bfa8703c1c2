import { describe, expect, it } from 'vitest';
import { checkPath } from '../../../zk-client/src/port/node-path.js';
import { directoryOf, hasLockNodes, intentDirectoryOf } from './key-path.js';
import { LockKeyError } from './lock-errors.js';

describe('lock directory of a key', () => {
  it.each([
    ['order', '/locks/order'],
    ['order:42', '/locks/order:42'],
    ['a/b', '/locks/a%2Fb'],
    ['a%2Fb', '/locks/a%252Fb'],
    ['%', '/locks/%25'],
    ['.', '/locks/%2E'],
    ['..', '/locks/%2E%2E'],
    ['a..b', '/locks/a..b'],
    ['Grüße', '/locks/Grüße'],
    ['日本', '/locks/日本'],
    ['line\nbreak\u0000', '/locks/line%0Abreak%00'],
    ['🎟', '/locks/%F0%9F%8E%9F'],
    ['\ue000', '/locks/%EE%80%80'],
    [' ', '/locks/ '],
  ])('%j is %j, a path that ZooKeeper accepts', (key, path) => {
    expect(directoryOf('/locks', key)).toBe(path);
    expect(checkPath(path)).toBeUndefined();
  });

  it.each([
    ['', 'non-empty'],
    [undefined, 'non-empty'],
    [7, 'must be a non-empty string; got a number. Name what the lock guards.'],
    [new Date(0), 'got a Date. Convert it to a string, as in `order:${date.toISOString()}`.'],
    [['a'], "got an array. Convert it to a string, as in `order:${ids.join(',')}`."],
    [{ id: 7 }, 'got an object. Convert it to a string, as in `order:${order.id}`.'],
    ['\ud83c', 'surrogate'],
    ['x'.repeat(513), '512 bytes'],
    ['/'.repeat(171), '512 bytes'],
  ])('refuses %j', (key, problem) => {
    const encode = (): string => directoryOf('/locks', key as string);
    expect(encode).toThrow(LockKeyError);
    expect(encode).toThrow(problem);
  });

  it('accepts a key up to the limit', () => {
    expect(directoryOf('/locks', 'x'.repeat(512))).toHaveLength(7 + 512);
  });
});

it.each([
  ['that of a key', 'k', true],
  ['that of its upgradable readers', intentDirectoryOf('k'), true],
  ['that of the guards of `single-node`', '%guards', false],
  ['one with a name longer than any key', 'x'.repeat(513), false],
])('a directory that may have lock nodes: %s', (_, segment, isOne) => {
  expect(hasLockNodes(segment)).toBe(isOne);
});
