import type { SessionSnapshot, SessionState } from 'zk-locks';

export type SessionHealth = 'up' | 'degraded' | 'down';

/** Suspended is not down yet: the session may live, and what holds a lock goes on holding it. */
export function healthOf(state: SessionState): SessionHealth {
  switch (state.name) {
    case 'connected':
      return 'up';
    case 'suspended':
      return 'degraded';
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
export function describeSession({ state, ...rest }: SessionSnapshot): Record<string, unknown> {
  const { name, sessionId: _, ...facts } = { sessionId: undefined, ...state };
  return { state: name, ...facts, ...rest };
}
