import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe } from './interference.js';

/** How much earlier a run may begin, as a fraction of the period: timers are not exact. */
const TOLERANCE = 0.1;
/** The servers' clocks count whole milliseconds and run at different rates. */
const ROUNDING_MS = 2;

/**
 * A job must not run again before its period is over. The period is measured between the creations
 * of the two nodes; if these times are unknown, from the first request to the second run, which is
 * no shorter. An operator that deletes the directory allows another run.
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
