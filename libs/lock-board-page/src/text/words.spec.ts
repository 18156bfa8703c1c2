import { describe, expect, it } from 'vitest';
import type { BoardContender } from '../board-api.js';
import { countText, ownerText, placeText, spanText } from './words.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const contender = (known: Partial<BoardContender>): BoardContender => ({
  node: 'n-0000000001',
  isForeign: false,
  isEphemeral: true,
  since: 0,
  ...known,
});

describe('words of the board', () => {
  it.each<[number, string]>([
    [-300, '0 s'],
    [999, '0 s'],
    [59 * SECOND, '59 s'],
    [61 * SECOND, '1 min 01 s'],
    [3 * HOUR + 5 * MINUTE, '3 h 05 min'],
    [47 * HOUR, '47 h 00 min'],
    [123 * HOUR, '5 d 3 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it('count things', () => {
    expect([0, 1, 12_345].map((count) => countText(count, 'key'))).toEqual([
      '0 keys',
      '1 key',
      '12,345 keys',
    ]);
  });

  it.each<[Partial<BoardContender>, string, string]>([
    [{ application: 'billing', host: 'web-1', pid: 7 }, 'billing', 'web-1:7'],
    [{ host: 'web-1' }, 'unnamed application', 'web-1'],
    [{ pid: 7 }, 'unnamed application', 'pid 7'],
    [{ isForeign: true }, 'another program', ''],
  ])('say whose %o is, and where', (known, owner, place) => {
    expect(ownerText(contender(known))).toBe(owner);
    expect(placeText(contender(known))).toBe(place);
  });
});
