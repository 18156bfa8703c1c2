import type { SessionSnapshot } from 'zk-locks';
import { accessRemedy, nameIdentity } from 'zk-locks/internal';

export type SessionHealth = 'up' | 'degraded' | 'down';

/**
 * Suspended is not down yet: the session may live, and what holds a lock goes on holding it. A session
 * whose user may take no locks is down, although it is connected.
 */
export function healthOf({ state, refusal }: SessionSnapshot): SessionHealth {
  switch (state.name) {
    case 'connected':
      return refusal ? 'down' : 'up';
    case 'suspended':
      return refusal ? 'down' : 'degraded';
    case 'connecting':
    case 'lost':
    case 'closed':
      return 'down';
  }
}

/**
 * The snapshot as one flat object that JSON can carry, without the session's id: that is all that an
 * outsider needs to end the session.
 */
export function describeSession(snapshot: SessionSnapshot): Record<string, unknown> {
  const { state, connectedTo, refusal, ...rest } = snapshot;
  const { name, sessionId: _, ...facts } = { sessionId: undefined, ...state };
  // While there is no connection, it is only known where the last one was.
  const server = name === 'connected' ? 'connectedTo' : 'lastConnectedTo';
  return {
    state: name,
    ...facts,
    ...(connectedTo !== undefined && { [server]: connectedTo }),
    ...rest,
    ...(refusal && {
      problem: `ZooKeeper refuses access to ${refusal.path} to ${nameIdentity(refusal)}. ${accessRemedy(refusal)}`,
    }),
  };
}
