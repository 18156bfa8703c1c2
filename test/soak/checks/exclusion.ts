import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe, endOf, excludes } from './interference.js';

/** Two grants that exclude each other must not both claim to be held at the same time. */
export function checkExclusion(history: History): Violation[] {
  const violations: Violation[] = [];
  let inside: Grant[] = [];
  for (const grant of history.grants.toSorted(byEntrance)) {
    inside = inside.filter((other) => endOf(other, history) >= grant.enteredAt);
    for (const other of inside.filter((one) => excludes(one, grant))) {
      const ms = Math.min(endOf(other, history), endOf(grant, history)) - grant.enteredAt;
      violations.push({
        promise: 'exclusion',
        message: `${describe(grant)} entered while ${describe(other)} held it, for at least ${ms.toFixed(1)} ms`,
      });
    }
    inside.push(grant);
  }
  return violations;
}
