import {
  countText,
  type LockSession,
  type SessionState,
  shortAgeText,
  type ZkLockLogger,
} from 'zk-client/recipes';
import type { LockLossReason, LockLostError } from '../lock/lock-errors.js';
import { onReadConnections, publish } from '../telemetry/channels.js';
import type { ConnectionReport } from '../telemetry/events.js';

/** Publishes the states of one connection's session until it is closed. */
export function observeSession(
  connection: string,
  session: LockSession,
  doing: () => Omit<ConnectionReport, 'connection' | 'state'>,
): void {
  let present: SessionState | undefined;
  const stopAnswering = onReadConnections(
    () => present && { connection, state: present.name, ...doing() },
  );
  session.onState((state) => {
    const previous = present;
    present = state;
    publish('session', {
      connection,
      state: state.name,
      previous: previous?.name,
      lossReason: state.name === 'lost' ? state.reason : undefined,
      isReconnect: state.name === 'connected' && previous?.name === 'suspended',
    });
  }, stopAnswering);
}

/**
 * Logs one line when ZooKeeper can be reached again, if calls were refused meanwhile: each caller has only its
 * own error.
 *
 * @param refused how many calls were refused since the start
 */
export function tellOutages(
  logger: ZkLockLogger,
  session: LockSession,
  refused: () => number,
): void {
  let begin: { readonly at: number; readonly refused: number } | undefined;
  session.onState(({ name }) => {
    if (name !== 'connected') {
      begin ??= { at: performance.now(), refused: refused() };
      return;
    }
    const calls = begin ? refused() - begin.refused : 0;
    if (begin && calls > 0) {
      const ms = performance.now() - begin.at;
      const were = calls === 1 ? 'was' : 'were';
      logger.log(
        `ZooKeeper could not be reached for ${shortAgeText(ms)}: ${countText(calls, 'call')} ${were} refused.`,
      );
    }
    begin = undefined;
  });
}

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
