import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe, endOf } from './interference.js';

/** No more permits of a semaphore may be held at the same time than there are. */
export function checkPermits(history: History, available: number): Violation[] {
  const violations: Violation[] = [];
  let inside: Grant[] = [];
  const permits = history.grants.filter(({ access }) => access === 'permit');
  for (const grant of permits.toSorted(byEntrance)) {
    inside = inside.filter((other) => endOf(other, history) >= grant.enteredAt);
    inside.push(grant);
    const same = inside.filter(({ key }) => key === grant.key);
    const taken = same.reduce((sum, other) => sum + (other.permits ?? 1), 0);
    if (taken <= available) continue;
    violations.push({
      promise: 'permits',
      message: `${String(taken)} of ${String(available)} permits were held: ${same.map(describe).join(', ')}`,
    });
  }
  return violations;
}
