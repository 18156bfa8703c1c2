import type { Session } from '../session/session.js';
import { ZooKeeperUnavailableError } from '../lock-errors.js';

/**
 * With the reason why there is no connection, where one is known.
 *
 * @param what did not happen in time, as a predicate of the servers
 * @param remedy a sentence
 */
export function unavailableError(
  { snapshot, connectProblem, lastFailure }: Session,
  what: string,
  remedy: string,
): ZooKeeperUnavailableError {
  const reason = connectProblem === undefined ? '' : `: ${connectProblem}`;
  return new ZooKeeperUnavailableError(
    `ZooKeeper at ${snapshot.servers} ${what}${reason}. ${remedy}`,
    { cause: lastFailure },
  );
}
