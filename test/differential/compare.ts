import type { Transcript } from './play.js';

/** A step in which two transcripts differ. */
export interface Difference {
  /** The number of the step, from 0. */
  readonly step: number;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
}

const TIME = /\+(\d+) ms/;

/** How much times may differ. */
export interface Tolerance {
  readonly earlierMs: number;
  readonly laterMs: number;
}

/**
 * The steps in which two transcripts differ, or in which times differ by more than the tolerance.
 */
export function differences(
  expected: Transcript,
  actual: Transcript,
  tolerance: Tolerance,
): Difference[] {
  const length = Math.max(expected.length, actual.length);
  return Array.from({ length }, (_, step) => step).flatMap((step) => {
    const [one, other] = [expected[step] ?? [], actual[step] ?? []];
    const isAlike =
      one.length === other.length &&
      one.every((line, index) => isSame(line, other[index]!, tolerance));
    return isAlike ? [] : [{ step, expected: one, actual: other }];
  });
}

function isSame(one: string, other: string, { earlierMs, laterMs }: Tolerance): boolean {
  const [time, otherTime] = [TIME.exec(one), TIME.exec(other)];
  if (!time || !otherTime) return one === other;
  const lateMs = Number(otherTime[1]) - Number(time[1]);
  return -earlierMs <= lateMs && lateMs <= laterMs;
}
