import { hasReturnCode, ReturnCode, type ZooKeeperError } from '../client/client-errors.js';
import type { NodeStat } from '../client/zookeeper-client.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import type { Call } from './call.js';

/**
 * Replaces the data of one version of a node. Where an answer is lost it is asked for again, which can
 * only be refused if it was done, and then tells by what is there. Two that write the same data in
 * the same version are one to it.
 */
export async function setForCertain(
  call: Call,
  session: Session,
  path: string,
  data: Buffer,
  version: number,
  send: (lease: SessionLease) => Promise<NodeStat>,
): Promise<NodeStat> {
  for (;;) {
    const lost = call.unknownOutcome;
    try {
      const answer = await call.ask(send);
      if ('value' in answer) return answer.value;
    } catch (error) {
      if (!lost) throw error;
      if (!hasReturnCode(error, ReturnCode.badVersion)) throw lostOr(lost, error);
      const found = await call
        .askUntilAnswered(async (lease) => {
          await session.sync(lease, path);
          return session.get(lease, path);
        })
        .catch((failure: unknown) => {
          throw lostOr(lost, failure);
        });
      // With other data, another client was faster, or has created the node again.
      if (found.stat.version !== version + 1 || !found.data.equals(data)) throw lost;
      return found.stat;
    }
  }
}

/** A node that is gone, or not shown any more, tells nothing. */
function lostOr(lost: ZooKeeperError, error: unknown): unknown {
  const { noNode, noAuth } = ReturnCode;
  return [noNode, noAuth].some((code) => hasReturnCode(error, code)) ? lost : error;
}
