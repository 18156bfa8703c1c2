import { expect, it } from 'vitest';
import { checkHerd } from './herd.js';

const judge = (told: readonly (readonly [string, number])[], keepsLocks = false): string[] =>
  checkHerd(told, { keys: ['a'], keepsLocks }).map(({ promise }) => promise);

const nodes = (directory: string, counts: readonly number[]) =>
  counts.map((count, place) => [`${directory}/_c_1-__WRIT__${place}`, count] as const);
const many = (count: number): number[] => Array<number>(30).fill(count);

it('finds releases that wake more than the next in the queue', () => {
  expect(judge(nodes('/locks/a', many(2)))).toEqual([]);
  expect(judge(nodes('/locks/a', [...many(1), 4, 4]))).toEqual([]);
  expect(judge(nodes('/locks/a', [...many(2), 3]))).toEqual(['no herd']);
  expect(judge(nodes('/locks/pool/leases', many(4)))).toEqual([]);
});

it('finds a watch on the directory of a queue, unless locks are kept', () => {
  expect(judge([['/locks/a', 1]])).toEqual(['no herd']);
  expect(judge([['/locks/a', 1]], true)).toEqual([]);
});
