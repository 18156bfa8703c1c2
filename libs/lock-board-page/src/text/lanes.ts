import type { BoardHold } from '../board-api.js';

/** A hold within the time that is drawn. */
export interface DrawnHold {
  readonly hold: BoardHold;
  readonly from: number;
  readonly until: number;
  readonly lane: number;
}

/** Puts holds that overlap below each other: readers, or permits. */
export function lanesOf(holds: readonly BoardHold[], start: number, now: number): DrawnHold[] {
  const ends: number[] = [];
  return holds
    .map((hold) => ({
      hold,
      from: Math.max(hold.from ?? start, start),
      until: Math.min(hold.until ?? now, now),
    }))
    .filter(({ until }) => until >= start)
    .sort((a, b) => a.from - b.from)
    .map((one) => {
      const free = ends.findIndex((end) => end <= one.from);
      const lane = free === -1 ? ends.length : free;
      ends[lane] = Math.max(one.until, one.from);
      return { ...one, lane };
    });
}
