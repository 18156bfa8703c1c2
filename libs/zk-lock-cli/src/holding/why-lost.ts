import { LockLostError, type LockLossReason } from 'zk-locks';
import { nameProcess } from 'zk-locks/inspect';

const WHY: Readonly<Record<LockLossReason, string>> = {
  'lease-expired': 'ZooKeeper has not answered in time',
  'margin-reached': 'ZooKeeper has not answered in time',
  'session-expired': 'ZooKeeper has ended the session',
  'session-too-short':
    'a server has granted a session too short for --tick-time (ZK_LOCK_TICK_TIME) and --kill-after',
  broken: 'it was broken',
  'node-deleted': 'an operator or another program has deleted its node',
  'node-unreadable': 'an ACL hides its node',
  'service-closed': 'zk-lock has ended its session',
};

/** Why a lock was lost, as a clause, for people who do not know the library. */
export function whyLost(loss: unknown): string {
  if (!(loss instanceof LockLostError)) return 'for an unknown reason';
  const { reason, brokenBy } = loss;
  return brokenBy ? `${WHY[reason]} by ${nameProcess(brokenBy)}` : WHY[reason];
}
