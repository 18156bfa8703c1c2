/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * What another process has measured between a question of this one and its answer.
 *
 * @throws {Error} when that cannot have been the clock of this process
 */
export function onOneClock(askedAt: number, at: number): number {
  const answeredAt = machineTime();
  if (at >= askedAt && at <= answeredAt) return at;
  throw new Error(`the clocks differ: ${at} ms is not between ${askedAt} and ${answeredAt} ms`);
}
