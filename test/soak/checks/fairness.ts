import type { Grant, History, Violation } from '../history/history.js';
import { byEntrance, describe } from './interference.js';

interface Latest {
  shared?: Grant;
  exclusive?: Grant;
}

/**
 * A token reflects the position in the queue. If two grants exclude each other, the one that
 * entered later has the higher token. A holder that lost its session got a new position.
 */
export function checkFairness({ grants }: History): Violation[] {
  const violations: Violation[] = [];
  const latest = new Map<string, Latest>();
  for (const grant of grants.toSorted(byEntrance)) {
    const { key, access, queued, token } = grant;
    if (!queued || token === undefined || access === 'permit') continue;
    const seen = latest.get(key) ?? {};
    latest.set(key, seen);
    const rivals = access === 'exclusive' ? [seen.exclusive, seen.shared] : [seen.exclusive];
    for (const rival of rivals) {
      if (rival?.token === undefined || rival.token <= token) continue;
      violations.push({
        promise: 'fairness',
        message: `${describe(grant)} was passed by ${describe(rival)}`,
      });
    }
    const before = seen[access]?.token;
    if (before === undefined || token > before) seen[access] = grant;
  }
  return violations;
}
