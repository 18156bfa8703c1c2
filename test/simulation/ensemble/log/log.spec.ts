import { beforeEach, describe, expect, it } from 'vitest';
import { Log } from './log.js';

let log: Log;

function append(...zxids: number[]): void {
  for (const zxid of zxids) {
    log.append({
      zxid,
      time: 0,
      at: 0,
      request: { kind: 'end', sessionId: 1n },
      refusal: undefined,
    });
  }
}

function zxidsAfter(zxid: number): number[] {
  return log.after(zxid).map((entry) => entry.zxid);
}

beforeEach(() => {
  log = new Log();
  append(11, 12, 13, 21, 22);
});

describe('a log', () => {
  it('finds what follows a zxid, whether it has that or not', () => {
    expect(zxidsAfter(0)).toEqual([11, 12, 13, 21, 22]);
    expect(zxidsAfter(13)).toEqual([21, 22]);
    expect(zxidsAfter(17)).toEqual([21, 22]);
    expect(zxidsAfter(22)).toEqual([]);
  });

  it('finds what comes before a zxid', () => {
    expect([30, 22, 20, 11, 1].map((zxid) => log.before(zxid))).toEqual([22, 21, 13, 0, 0]);
    expect(log.before(0)).toBeUndefined();
  });

  it('loses what was not on the disk', () => {
    expect(log.secure().map(({ zxid }) => zxid)).toEqual([11, 12, 13, 21, 22]);
    append(23, 24);
    log.loseUnsafe();
    expect(zxidsAfter(20)).toEqual([21, 22]);
    append(31);
    expect(log.secure().map(({ zxid }) => zxid)).toEqual([31]);
  });

  it('is cut', () => {
    log.secure();
    log.truncateTo(13);
    append(31);
    expect(log.secure().map(({ zxid }) => zxid)).toEqual([31]);
    expect(zxidsAfter(12)).toEqual([13, 31]);
    expect(log.has(21)).toBe(false);
  });

  it('forgets its beginning, and knows where it begins', () => {
    log.secure();
    log.forgetTo(13);
    expect(log.has(13)).toBe(true);
    expect(log.has(12)).toBe(false);
    expect(log.before(13)).toBeUndefined();
    expect(zxidsAfter(0)).toEqual([21, 22]);
    append(23);
    expect(log.secure().map(({ zxid }) => zxid)).toEqual([23]);
    log.restartAt(40);
    expect([log.lastZxid, log.has(40), zxidsAfter(0)]).toEqual([40, true, []]);
  });
});
