import { expect, it } from 'vitest';
import { checkHerd } from './herd.js';

const judge = (told: readonly (readonly [string, number])[]): string[] =>
  checkHerd(told, ['a']).map(({ message }) => message);

it('finds a release that wakes more than the next in the queue', () => {
  expect(judge([['/locks/a/_c_1-__WRIT__0000000001', 2]])).toEqual([]);
  expect(judge([['/locks/a/_c_1-__WRIT__0000000001', 3]])).toHaveLength(1);
  expect(judge([['/locks/pool/leases/_c_1-lease-0000000001', 3]])).toEqual([]);
});

it('finds a watch on the directory of a queue', () => {
  expect(judge([['/locks/a', 1]])).toHaveLength(1);
});
