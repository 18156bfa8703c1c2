import type { History, Violation } from '../history/history.js';
import { checkExclusion } from './exclusion.js';
import { checkFairness } from './fairness.js';
import { checkFencing, type Tokens } from './fencing.js';
import { checkNotice } from './notice.js';
import { checkPermits } from './permits.js';
import { checkWaits } from './waits.js';

export interface Terms {
  /** Permits of the semaphore. */
  readonly permits: number;
  /** By how much a wait may outlast its patience, in ms. */
  readonly lateMs: number;
}

/** Everything that a history shows and that was promised not to happen. */
export function check(history: History, tokens: Tokens, { permits, lateMs }: Terms): Violation[] {
  return [
    ...checkExclusion(history),
    ...checkPermits(history, permits),
    ...checkFencing(history, tokens),
    ...checkFairness(history),
    ...checkNotice(history),
    ...checkWaits(history, lateMs),
  ];
}
