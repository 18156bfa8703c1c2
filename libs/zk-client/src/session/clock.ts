import { Date, performance } from '../real-time.js';

/**
 * How far the wall clock may run ahead of the monotonic clock before the difference counts as a
 * pause, in ms.
 */
const PAUSE_THRESHOLD_MS = 250;

export interface TimeSource {
  /** Monotonic milliseconds. */
  monotonic(): number;
  /** Wall-clock milliseconds. */
  wall(): number;
}

const processTime: TimeSource = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

/**
 * A monotonic clock that also counts the time during which the machine was suspended.
 *
 * The system's monotonic clock may stop while a laptop sleeps or a VM is paused, but the server's
 * clock continues. When the wall clock has run ahead, the difference is added. `addedMs` is the sum
 * of these differences: it distinguishes such a jump, or a change of the clock by an administrator,
 * from time in which the process ran.
 */
export class Clock {
  #addedMs = 0;
  #lastMonotonic: number;
  #lastWall: number;

  constructor(private readonly time: TimeSource = processTime) {
    this.#lastMonotonic = time.monotonic();
    this.#lastWall = time.wall();
  }

  now(): number {
    const monotonic = this.time.monotonic();
    const wall = this.time.wall();
    const ahead = wall - this.#lastWall - (monotonic - this.#lastMonotonic);
    // Rebased only at a pause, so that a slow drift adds up until it counts.
    if (ahead > PAUSE_THRESHOLD_MS) {
      this.#addedMs += ahead;
    }
    if (ahead > PAUSE_THRESHOLD_MS || ahead < 0) {
      this.#lastMonotonic = monotonic;
      this.#lastWall = wall;
    }
    return monotonic + this.#addedMs;
  }

  get addedMs(): number {
    return this.#addedMs;
  }
}
