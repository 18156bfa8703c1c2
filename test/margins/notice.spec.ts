import { describe, expect, it } from 'vitest';
import { noticeOf } from './notice.js';

const news = (...states: [at: number, state: string][]) =>
  states.map(([at, state]) => ({ at, state }));

describe('noticeOf', () => {
  it.each([
    ['nothing yet', news([1, 'CONNECTED']), undefined],
    ['the first bad news', news([1, 'CONNECTED'], [11, 'SUSPENDED']), { toldAt: 11 }],
    [
      'what it is followed by',
      news([1, 'CONNECTED'], [11, 'SUSPENDED'], [13, 'LOST'], [14, 'RECONNECTED']),
      { toldAt: 11, lostAt: 13 },
    ],
    ['LOST that stood at the moment of the cut', news([9, 'LOST']), { toldAt: 9, lostAt: 9 }],
    ['LOST where it comes first', news([12, 'LOST']), { toldAt: 12, lostAt: 12 }],
    [
      'nothing of an earlier cut',
      news([2, 'SUSPENDED'], [3, 'LOST'], [4, 'RECONNECTED'], [12, 'SUSPENDED']),
      { toldAt: 12 },
    ],
    [
      'bad news that stood at the moment of the cut',
      news([1, 'CONNECTED'], [9, 'SUSPENDED'], [15, 'RECONNECTED']),
      { toldAt: 9 },
    ],
  ])('finds %s', (_, states, expected) => {
    expect(noticeOf(states, 10)).toEqual(expected);
  });
});
