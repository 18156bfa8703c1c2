import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../session/backoff.js';
import type { Wait } from './wait.js';

const BASE_MS = 20;
const LONGEST_MS = 1_000;

/**
 * Pauses before an attempt where the same has failed more than once: a single setback is met at
 * once, and a server or an operator who causes them without end does not keep the process busy.
 *
 * @param attempt how many have failed, at least one
 * @throws the error of `wait` once that is over
 */
export async function pauseBefore(attempt: number, wait: Wait): Promise<void> {
  if (attempt > 1) {
    const delay = backoffDelay(attempt - 1, { baseMs: BASE_MS, capMs: LONGEST_MS });
    await sleep(delay, undefined, { signal: wait.signal }).catch(() => undefined);
  }
  wait.throwIfOver();
}
