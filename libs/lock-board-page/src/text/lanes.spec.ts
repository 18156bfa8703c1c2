import { expect, it } from 'vitest';
import { lanesOf } from './lanes.js';
import { ticksOf } from './time-axis.js';

it('puts holds that overlap below each other, and others into one lane', () => {
  const holds = [
    { who: 0, from: 100, until: 200 },
    { who: 1, from: 150, until: 300 },
    { who: 2, from: 200 },
    { who: 3, until: 40 },
    { who: 4, until: 60 },
  ];
  const drawn = lanesOf(holds, 50, 400);
  expect(drawn.map(({ hold, from, until, lane }) => [hold.who, from, until, lane])).toEqual([
    [4, 50, 60, 0],
    [0, 100, 200, 0],
    [1, 150, 300, 1],
    [2, 200, 400, 0],
  ]);
});

it.each([
  [
    'a few seconds',
    12_000,
    ['10:00:00', '10:00:02', '10:00:04', '10:00:06', '10:00:08', '10:00:10'],
  ],
  ['ten minutes', 600_000, ['10:00', '10:02', '10:04', '10:06', '10:08']],
  ['hours', 6 * 3_600_000, ['10:00', '11:00', '12:00', '13:00', '14:00', '15:00']],
])('names round times of %s', (_what, ms, texts) => {
  const from = new Date(2026, 0, 5, 10).getTime();
  expect(ticksOf(from, from + ms).map(({ text }) => text)).toEqual(texts);
});
