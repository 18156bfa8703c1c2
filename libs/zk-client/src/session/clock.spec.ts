import { describe, expect, it } from 'vitest';
import { Clock } from './clock.js';

const steps = (...readings: [monotonic: number, wall: number][]): number[] => {
  let now: [number, number] = [0, 0];
  const clock = new Clock({ monotonic: () => now[0], wall: () => now[1] });
  return readings.map((reading) => {
    now = reading;
    return clock.now();
  });
};

describe('clock', () => {
  it('follows the monotonic clock', () => {
    expect(steps([10, 10], [20, 21], [30, 29])).toEqual([10, 20, 30]);
  });

  it('adds the time by which the wall clock ran ahead, once', () => {
    expect(steps([10, 5_010], [20, 5_020])).toEqual([5_010, 5_020]);
  });

  it('adds up several pauses', () => {
    expect(steps([10, 1_010], [20, 2_020], [30, 2_030])).toEqual([1_010, 2_020, 2_030]);
  });

  it('never runs backwards when the wall clock does', () => {
    expect(steps([10, -90_000], [20, -89_990], [30, -88_980])).toEqual([10, 20, 1_030]);
  });
});
