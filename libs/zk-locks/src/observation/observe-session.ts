import {
  countText,
  type LockSession,
  type SessionState,
  setImmediate,
  shortAgeText,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { nameLock } from '../lock/lock-kind.js';
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
 * Logs one line when ZooKeeper can be reached again, if calls were refused in the meantime: each caller gets
 * only its own error.
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

/** These losses concern everything that was held. */
const OF_ALL: readonly LockLossReason[] = [
  'margin-reached',
  'lease-expired',
  'session-expired',
  'session-too-short',
];

/** The names in one line; the other losses are counted. */
const MOST_NAMES = 5;

/**
 * Logs losses: the holder is notified, but an operator might not notice. An HTTP caller gets a 503,
 * which no log shows.
 *
 * @returns a function to call for each loss; losses of everything that was held share one line
 */
export function lossLog(logger: ZkLockLogger): (loss: LockLostError) => void {
  let ofAll: LockLostError[] = [];
  const tell = (): void => {
    const lost = ofAll;
    ofAll = [];
    const isByMargin = lost.every(({ reason }) => reason === 'margin-reached');
    const cause = isByMargin ? 'because `marginMs` was reached' : 'with the session';
    const names = lost.slice(0, MOST_NAMES).map(({ mode, key }) => nameLock(mode, key));
    if (lost.length > MOST_NAMES) names.push(`${lost.length - MOST_NAMES} more`);
    logger.warn(`Lost ${cause}: ${names.join(', ')}. Their work may still be running.`);
  };
  return (loss) => {
    const { reason, message } = loss;
    if (!OF_ALL.includes(reason)) {
      logger.warn(message);
      return;
    }
    logger.debug(message);
    if (ofAll.push(loss) === 1) setImmediate(tell);
  };
}
