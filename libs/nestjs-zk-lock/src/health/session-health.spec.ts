import { describe, expect, it } from 'vitest';
import type { SessionState } from 'zk-locks';
import { describeSession, healthOf } from './session-health.js';

const sessionId = '0x1000';

describe('the health of a session', () => {
  it.each<[health: string, state: SessionState]>([
    ['up', { name: 'connected', sessionId, timeoutMs: 10_000 }],
    ['degraded', { name: 'suspended', sessionId, since: new Date(0) }],
    ['down', { name: 'connecting' }],
    ['down', { name: 'lost', sessionId, reason: 'lease-expired' }],
    ['down', { name: 'closed' }],
  ])('is %s when it is $name', (health, state) => {
    expect(healthOf(state)).toBe(health);
  });

  it('is described flat, with what each state knows, but for the session id', () => {
    expect(
      describeSession({
        state: { name: 'connected', sessionId, timeoutMs: 10_000 },
        servers: 'zk:2181/app',
        connectedTo: '10.0.0.1:2181',
        lastRoundTripMs: 2,
      }),
    ).toEqual({
      state: 'connected',
      timeoutMs: 10_000,
      servers: 'zk:2181/app',
      connectedTo: '10.0.0.1:2181',
      lastRoundTripMs: 2,
    });
  });
});
