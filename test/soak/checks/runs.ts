import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe } from './interference.js';

/** A run may begin so much earlier, as a part of the time: timers are not exact. */
const TOLERANCE = 0.1;
/** Clocks of servers count in whole milliseconds, and differ in their rates. */
const ROUNDING_MS = 2;

/**
 * A job ran, and again before its time had passed. That is the time between the creations of the two nodes;
 * where these are not known, at most that from the first question to the second run. An operator that
 * deletes the directory lets it run again.
 */
export function checkRuns({ grants, clearings }: History): Violation[] {
  const violations: Violation[] = [];
  const latest = new Map<string, Grant>();
  for (const grant of grants.toSorted(byEntrance)) {
    const { key, run, enteredAt, createdAt = enteredAt } = grant;
    if (!run) continue;
    const before = latest.get(key);
    latest.set(key, grant);
    if (!before?.run) continue;
    const { askedAt } = before.run;
    const passedMs = createdAt - (before.createdAt ?? askedAt);
    if (
      clearings.some((one) => one.key === key && one.at <= enteredAt && one.answeredAt >= askedAt)
    )
      continue;
    if (passedMs >= run.everyMs * (1 - TOLERANCE) - ROUNDING_MS) continue;
    violations.push({
      promise: 'runs',
      message: `${describe(grant)} was asked for ${passedMs.toFixed(0)} ms after ${describe(before)}, of ${run.everyMs} ms`,
    });
  }
  return violations;
}
