/**
 * Converts times of `performance.now()` to the system's monotonic clock, which all processes share:
 * it is that of `System.nanoTime()` in Java and `time.monotonic()` in Python. Accurate to a
 * microsecond.
 */
export function byMonotonicClock(times: readonly number[]): number[] {
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return times.map((time) => Math.round((time + offset) * 1_000) / 1_000);
}
