import { describe, expect, it } from 'vitest';
import type { BoardContender } from '../board-api.js';
import { countText, ownerText, placeText } from './words.js';

const contender = (known: Partial<BoardContender>): BoardContender => ({
  node: 'n-0000000001',
  isForeign: false,
  isEphemeral: true,
  since: 0,
  ...known,
});

describe('words of the board', () => {
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
