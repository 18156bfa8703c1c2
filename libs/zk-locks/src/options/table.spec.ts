import { expect, it } from 'vitest';
import { ZkLockConfigError } from '../../../zk-client/src/zk-lock-error.js';
import { checkOption, type OptionName, OPTIONS } from './table.js';

const names = Object.keys(OPTIONS) as OptionName[];

it.each(names)('says for `%s` what it must be, what was given, and what to do', (name) => {
  const check = (): void => checkOption(name, Symbol('nonsense'));
  expect(check).toThrow(ZkLockConfigError);
  const { finding = () => 'got Symbol(nonsense)' } = OPTIONS[name];
  const problem = [OPTIONS[name].expected, finding(Symbol('nonsense'))].filter(Boolean).join('; ');
  expect(check).toThrow(`\`${name}\` must be ${problem}. ${OPTIONS[name].remedy} See `);
  expect(OPTIONS[name].remedy).toMatch(/^[A-Z].+\.$/);
});

it('shows nothing of credentials', () => {
  for (const name of names.filter((one) => /^credentials(?!.scheme)/.test(one))) {
    expect(() => checkOption(name, 7)).not.toThrow('got 7');
  }
});

it.each<[name: OptionName, sound: readonly unknown[], refused: readonly unknown[]]>([
  ['sessionTimeoutMs', [1, 0x7fff_ffff], [0, 1.5, '7s', 0x8000_0000, Infinity]],
  ['root', ['/locks', '/a/b'], ['locks', '/', '/locks/', '/zookeeper/locks', 7]],
  ['client', ['wire', 'native'], ['java', '', null]],
  ['tls', [true, {}], ['yes', []]],
  ['credentials', [{}], ['', null]],
  ['acl', ['open', 'creator'], ['closed', null]],
  ['release', ['wait', 'background'], ['later', true, null]],
  ['timeoutMs', [0, 0.5, Infinity], [-1, Number.NaN, '5', null]],
  ['acquireTimeoutMs', [0, Infinity], [-1, Number.NaN]],
  ['label', ['x', 'x'.repeat(200)], ['', 'x'.repeat(201), 7]],
  ['signal', [AbortSignal.abort()], [{}, Object.create(AbortSignal.prototype)]],
  ['cohort', [false, {}], [true, null, []]],
  ['cohort.maxHandovers', [1, 1_023], [0, 1_024]],
  ['cohort.keepMs', [0, 60_000], [-1, 0.5, Infinity]],
  ['maxWaiting.total', [1, Infinity], [0, 1.5, -Infinity]],
  ['shutdownGraceMs', [0, 0.5], [Infinity, -1]],
  ['minHoldMs', [0, 0x7fff_ffff], [-1, Infinity, '5', null]],
  ['maxHoldMs', [0.5], [0, 0x8000_0000, Number.NaN]],
  ['onBusy', ['throw', 'skip', () => 7], [true, 'wait', null, {}]],
  ['onFollower', ['throw', 'skip', () => 7], [true, 'wait', null, {}]],
])('accepts for `%s` what it says, and nothing else', (name, sound, refused) => {
  for (const value of sound) expect(OPTIONS[name].accepts(value)).toBe(true);
  for (const value of refused) expect(OPTIONS[name].accepts(value)).toBe(false);
});
