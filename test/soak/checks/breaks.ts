import type { History, Violation } from '../history/history.js';
import { czxidOf, describe } from './interference.js';

/**
 * A process that had given a broken lock up said that it holds it, after its breaker had the
 * answer.
 */
export function checkBreaks({ grants, breaks }: History): Violation[] {
  return breaks.flatMap(({ key, czxid, answeredAt }) => {
    const broken = grants.filter((grant) => grant.key === key && czxidOf(grant) === czxid);
    return broken
      .filter(({ heldAt }) => heldAt > answeredAt)
      .map((grant) => ({
        promise: 'notice',
        message: `${describe(grant)} said that it is held ${(grant.heldAt - answeredAt).toFixed(1)} ms after it had been broken`,
        kinds: [grant.kind],
      }));
  });
}
