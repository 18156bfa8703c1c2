/**
 * Times of `performance.now()` by the system's monotonic clock, which all processes share: that of
 * `System.nanoTime()` in Java and `time.monotonic()` in Python. To the microsecond.
 */
export function byMonotonicClock(times: readonly number[]): number[] {
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return times.map((time) => Math.round((time + offset) * 1_000) / 1_000);
}
