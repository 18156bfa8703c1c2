import type { History, Violation } from '../history/history.js';
import { checkBreaks } from './breaks.js';
import { checkCohorts } from './cohorts.js';
import { checkExclusion } from './exclusion.js';
import { checkFairness } from './fairness.js';
import { checkFencing, type Tokens } from './fencing.js';
import { isTakenBeforehand } from './interference.js';
import { checkNotice } from './notice.js';
import { checkPermits } from './permits.js';
import { checkMargins } from './margins.js';
import { checkRuns } from './runs.js';
import { checkWaits } from './waits.js';

export interface Terms {
  /** The number of permits of the semaphore. */
  readonly permits: number;
  /** How much longer than its timeout a wait may take, in ms. */
  readonly lateMs: number;
  /** The maximum number of handovers within each replica. */
  readonly handovers: ReadonlyMap<string, number>;
}

/** All broken promises in a history. */
export function check(history: History, tokens: Tokens, terms: Terms): Violation[] {
  const { permits, lateMs, handovers } = terms;
  const grants = history.grants.filter((grant) => !isTakenBeforehand(grant, history));
  const promised = { ...history, grants };
  return [
    ...checkExclusion(promised),
    ...checkPermits(promised, permits),
    ...checkFencing(promised, tokens),
    ...checkFairness(promised),
    ...checkCohorts(history, handovers),
    ...checkNotice(history),
    ...checkMargins(history),
    ...checkRuns(history),
    ...checkBreaks(history),
    ...checkWaits(history, lateMs),
  ];
}
