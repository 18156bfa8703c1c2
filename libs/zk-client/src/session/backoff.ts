import { setTimeout as sleep } from 'node:timers/promises';
import { hasReturnCode, ReturnCode } from '../port/client-errors.js';

/** Short compared with the period of a heartbeat, which may also be throttled. */
const THROTTLED_RETRY = { baseMs: 20, capMs: 250 };

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

/**
 * Waits until a request may be sent again that a busy server has refused, and so has not executed.
 *
 * @param attempt 0 after the first refusal
 * @throws `error` if it is another one
 */
export async function pauseIfThrottled(error: unknown, attempt: number): Promise<void> {
  if (!hasReturnCode(error, ReturnCode.throttledOp)) throw error;
  await sleep(backoffDelay(attempt, THROTTLED_RETRY));
}
