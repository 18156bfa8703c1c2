import type { Break, History, Violation } from '../history/history.js';
import { isUnder } from '../history/lock-node.js';
import { describe } from './interference.js';

/**
 * A process that had given up a broken lock must not claim to hold it after the breaker had the
 * answer. If another client has deleted the node in the meantime, the process has not given the
 * lock up.
 */
export function checkBreaks({ grants, breaks, deletions }: History): Violation[] {
  const isGivenUp = ({ key, node: { token }, answeredAt }: Break): boolean =>
    !deletions.some(
      (one) =>
        (one.isSilent === true || one.at < answeredAt) &&
        one.key === key &&
        one.node?.token === token,
    );
  return breaks.filter(isGivenUp).flatMap(({ key, node, answeredAt }) => {
    const broken = grants.filter((grant) => grant.key === key && isUnder(node, grant));
    return broken
      .filter(({ heldAt }) => heldAt > answeredAt)
      .map((grant) => ({
        promise: 'notice',
        message: `${describe(grant)} said that it is held ${(grant.heldAt - answeredAt).toFixed(1)} ms after it had been broken`,
      }));
  });
}
