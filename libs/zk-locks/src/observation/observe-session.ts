import type { LockSession, SessionState } from 'zk-client/recipes';
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
