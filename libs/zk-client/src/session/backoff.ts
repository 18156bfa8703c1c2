/**
 * Exponential backoff with full jitter: the longest delay doubles up to `capMs`, and the delay is
 * drawn evenly below it, so that clients cut off together do not come back together. (M. Brooker,
 * "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.)
 *
 * @param attempt 0 for the first attempt
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function backoffDelay(
  attempt: number,
  { baseMs, capMs }: { baseMs: number; capMs: number },
  random: number = Math.random(),
): number {
  return random * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
}
