import type { SessionSnapshot } from 'zk-locks';
import { describeRefusal } from 'zk-locks/framework';

export type SessionHealth = 'up' | 'degraded' | 'down';

/**
 * A suspended session is not down yet: it may still be alive, and its locks are still held. A
 * session that is not allowed to take locks is down, although it is connected.
 */
export function healthOf({ state, refusal }: SessionSnapshot): SessionHealth {
  if (refusal) return 'down';
  if (state.name === 'connected') return 'up';
  return state.name === 'suspended' ? 'degraded' : 'down';
}

/**
 * The snapshot as one flat object for JSON, without the session's id, because the id alone would
 * allow an outsider to end the session.
 */
export function describeSession(snapshot: SessionSnapshot): Record<string, unknown> {
  const { state, connectedTo, configuredServer: _server, refusal, ...rest } = snapshot;
  const { name, sessionId: _, ...facts } = { sessionId: undefined, ...state };
  // Without a connection, only the last server is known.
  const server = name === 'connected' ? 'connectedTo' : 'lastConnectedTo';
  return {
    state: name,
    ...facts,
    ...(connectedTo !== undefined && { [server]: connectedTo }),
    ...(refusal && { problem: describeRefusal(refusal) }),
    ...rest,
  };
}
