import { expect, it } from 'vitest';
import { isCreatedPath, isName } from './node-path.js';
import { believableTimeoutMs } from './zookeeper-client.js';

it.each([
  ['what was asked for', 10_000, 10_000, 10_000],
  ['less, down to what lasts no time', 10, 10_000, 10],
  ['a minimum of 2 ticks', 4_000, 1_000, 4_000],
  ['a few times as much', 40_001, 10_000, 40_000],
  ['24 days', 2_073_600_000, 10_000, 40_000],
])('believes of a granted session timeout: %s', (_what, granted, asked, believed) => {
  expect(believableTimeoutMs(granted, asked)).toBe(believed);
});

it.each([
  ['/k/n-0000000001', true],
  ['/k/n--2147483648', true],
  ['/k/n-', false],
  ['/k/n-1', false],
  ['/k/m-0000000001', false],
  [undefined, false],
])('knows whether a sequential node can have been created at %s', (created, isPossible) => {
  expect(isCreatedPath('/k/n-', 'ephemeral-sequential', created)).toBe(isPossible);
});

it.each(['', '.', '..', 'a/b', 7, undefined])('knows that no child is called %j', (name) => {
  expect(isName(name)).toBe(false);
});
