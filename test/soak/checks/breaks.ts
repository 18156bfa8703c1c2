import type { Break, History, Violation } from '../history/history.js';
import { isUnder } from '../history/lock-node.js';
import { describe } from './interference.js';

/**
 * A process that had given a broken lock up said that it holds it, after its breaker had the
 * answer. Where another client has deleted its node meanwhile, it has not given the lock up.
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
