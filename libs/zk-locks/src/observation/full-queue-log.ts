import { countText, type ZkLockLogger } from 'zk-client/recipes';
import type { LockQueueFullError } from '../lock/lock-errors.js';

const EVERY_MS = 60_000;

/**
 * Logs that `maxWaiting` refuses calls, at most once a minute. Each caller gets only its own error, over
 * HTTP as a 503.
 *
 * @returns a function to call for each refusal
 */
export function fullQueueLog(logger: ZkLockLogger): (refusal: LockQueueFullError) => void {
  let latestAt = -Infinity;
  let untold = 0;
  return ({ message }) => {
    const now = performance.now();
    if (now - latestAt < EVERY_MS) {
      untold++;
      return;
    }
    const others =
      untold === 0 ? '' : `${countText(untold, 'call')} refused since the last warning. `;
    logger.warn(others + message);
    latestAt = now;
    untold = 0;
  };
}
