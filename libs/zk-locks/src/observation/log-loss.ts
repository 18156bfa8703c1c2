import type { ZkLockLogger } from 'zk-client/recipes';
import type { LockLossReason, LockLostError } from '../lock/lock-errors.js';

/** Of these, one line tells for all that was held. */
const TOLD_BY_THE_SESSION: readonly LockLossReason[] = [
  'lease-expired',
  'session-expired',
  'session-too-short',
];

/**
 * One line for a lock that is lost while its session lives. Its holder is told, but an operator need
 * not hear of that: an HTTP caller gets a 503, which no log has.
 */
export function logLoss(logger: ZkLockLogger, { reason, message }: LockLostError): void {
  if (TOLD_BY_THE_SESSION.includes(reason)) logger.debug(message);
  else logger.warn(message);
}
