import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe } from './interference.js';

/** A run may begin so much earlier, as a part of the time: timers are not exact. */
const TOLERANCE = 0.1;
/** Clocks of servers count in whole milliseconds. */
const ROUNDING_MS = 1;

/**
 * A job ran, and again before its time had passed. The time begins at the latest when the first run
 * began, and at the earliest when it was asked for. An operator that deletes the directory lets it run again.
 */
export function checkRuns({ grants, clearings }: History): Violation[] {
  const violations: Violation[] = [];
  const latest = new Map<string, Grant>();
  for (const grant of grants.toSorted(byEntrance)) {
    const { key, run, enteredAt } = grant;
    if (!run) continue;
    const before = latest.get(key);
    latest.set(key, grant);
    if (!before?.run) continue;
    const { askedAt } = before.run;
    const passedMs = enteredAt - askedAt;
    if (
      clearings.some((one) => one.key === key && one.at <= enteredAt && one.answeredAt >= askedAt)
    )
      continue;
    if (passedMs >= run.everyMs * (1 - TOLERANCE) - ROUNDING_MS) continue;
    violations.push({
      promise: 'runs',
      message: `${describe(grant)} ran ${passedMs.toFixed(0)} ms after ${describe(before)} had been asked for, of ${run.everyMs} ms`,
    });
  }
  return violations;
}
