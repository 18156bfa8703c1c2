import { expect, it } from 'vitest';
import { runLength } from './run-length.js';

it.each([
  [
    [
      [1, 2, 5],
      [3, 4],
    ],
    5 / 3,
  ],
  [
    [
      [1, 3],
      [2, 4],
    ],
    1,
  ],
  [[[1, 2, 3, 4]], 4],
  [[[2, 1], []], 2],
  [[[], []], undefined],
])('the mean length of runs of grants %j is %d', (processes, expected) => {
  expect(runLength(processes)).toBe(expected);
});
