import { MAX_TIMER_MS } from 'zk-client/recipes';
import type { Deadlock } from '../lock/deadlock.js';

/** How long before the end of a wait, in milliseconds; of short waits, half the time. */
const AHEAD_MS = 1_000;

/**
 * Looks for the circle in which a call waits shortly before its time is over. Calls with one timeout give
 * up in the same moment, and none of them would see the others any more.
 */
export class LookAhead {
  #found: Promise<Deadlock | undefined> | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param waitMs how long the call waits */
  constructor(waitMs: number, look: () => Promise<Deadlock | undefined>) {
    const ms = waitMs - Math.min(AHEAD_MS, waitMs / 2);
    if (ms > MAX_TIMER_MS) return;
    const begin = (): void => void (this.#found = look());
    this.#timer = setTimeout(begin, ms).unref();
  }

  /** What was seen, if it has looked. The call waits no longer. */
  end(): Promise<Deadlock | undefined> {
    clearTimeout(this.#timer);
    return this.#found ?? Promise.resolve(undefined);
  }
}
