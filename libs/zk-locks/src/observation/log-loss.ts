import type { ZkLockLogger } from 'zk-client/recipes';
import type { LockLossReason, LockLostError } from '../lock/lock-errors.js';

/** For these reasons, one line of the session covers everything that was held. */
const TOLD_BY_THE_SESSION: readonly LockLossReason[] = [
  'lease-expired',
  'session-expired',
  'session-too-short',
];

/**
 * Logs the loss of one lock whose session lives on. The holder is notified, but an operator might
 * not notice: an HTTP caller gets a 503, which no log shows.
 */
export function logLoss(logger: ZkLockLogger, { reason, message }: LockLostError): void {
  if (TOLD_BY_THE_SESSION.includes(reason)) logger.debug(message);
  else logger.warn(message);
}
