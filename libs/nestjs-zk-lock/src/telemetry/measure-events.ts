import { onLockEvents, readConnections } from 'zk-locks/events';
import { type Instruments, labelsOf, SESSION_LOSS_REASONS } from './metrics.js';

/** Measures all calls and sessions of this process; durations in seconds. Returns a function that stops it. */
export function measureEvents(instruments: Instruments): () => void {
  const { acquires, wait, hold, lost, reconnects, sessionsLost, jobCalls } = instruments;
  const countSession = (connection: string, isReconnect: boolean, lossReason?: string): void => {
    reconnects({ connection }, isReconnect ? 1 : 0);
    for (const reason of SESSION_LOSS_REASONS) {
      sessionsLost({ connection, reason }, reason === lossReason ? 1 : 0);
    }
  };
  for (const { connection } of readConnections()) countSession(connection, false);
  return onLockEvents({
    waitEnd: (event) => {
      const labels = labelsOf(event);
      // For jobs, their results are counted instead.
      if (event.kind !== 'job') acquires({ ...labels, result: event.result }, 1);
      // Single tries, and calls that were refused immediately, did not wait.
      if (event.result === 'busy' || event.result === 'full') return;
      wait(labels, event.durationMs / 1_000);
    },
    holdEnd: (event) => {
      const labels = labelsOf(event);
      hold(labels, event.durationMs / 1_000);
      if (event.lossReason !== undefined) lost({ ...labels, reason: event.lossReason }, 1);
    },
    job: ({ connection, pattern, result }) => jobCalls({ connection, pattern, result }, 1),
    session: ({ connection, isReconnect, lossReason }) =>
      countSession(connection, isReconnect, lossReason),
  });
}
