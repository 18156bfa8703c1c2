import type { Break, History, Violation } from '../history/history.js';
import { czxidOf, describe } from './interference.js';

/**
 * A process that had given a broken lock up said that it holds it, after its breaker had the
 * answer.
 */
export function checkBreaks({ grants, breaks, deletions }: History): Violation[] {
  const isGivenUp = ({ key, czxid }: Break): boolean =>
    !deletions.some((one) => one.isSilent === true && one.key === key && one.czxid === czxid);
  return breaks.filter(isGivenUp).flatMap(({ key, czxid, answeredAt }) => {
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
