import { describe, expect, it } from 'vitest';
import type { SessionSnapshot, SessionState } from 'zk-locks';
import { describeSession, healthOf } from './session-health.js';

const sessionId = '0x1000';
const servers = 'zk:2181/app';

describe('the health of a session', () => {
  it.each<[health: string, state: SessionState]>([
    ['up', { name: 'connected', sessionId, timeoutMs: 10_000 }],
    ['degraded', { name: 'suspended', sessionId, since: new Date(0) }],
    ['down', { name: 'connecting' }],
    ['down', { name: 'lost', sessionId, reason: 'lease-expired' }],
    ['down', { name: 'closed' }],
  ])('is %s when it is $name', (health, state) => {
    expect(healthOf({ state, servers })).toBe(health);
  });

  it.each<SessionState>([
    { name: 'connected', sessionId, timeoutMs: 10_000 },
    { name: 'suspended', sessionId, since: new Date(0) },
  ])('is down while access is refused and it is $name', (state) => {
    const refusal = { path: '/locks', username: 'billing', scheme: 'digest', since: new Date(0) };
    expect(healthOf({ state, servers, refusal } as SessionSnapshot)).toBe('down');
  });

  it('says why it is down if ZooKeeper accepts no new lock nodes', () => {
    const refusal = { path: '/locks', code: 'ZK_QUOTA_EXCEEDED', since: new Date(0) };
    const state: SessionState = { name: 'connected', sessionId, timeoutMs: 10_000 };
    expect(healthOf({ state, servers, refusal })).toBe('down');
    expect(describeSession({ state, servers, refusal }).problem).toBe(
      'ZooKeeper refuses new lock nodes at /locks: the quota is used up. See `listquota` in zkCli.sh, and raise it.',
    );
  });

  it('names the server that it was connected to as the last one while it is suspended', () => {
    const state: SessionState = { name: 'suspended', sessionId, since: new Date(0) };
    expect(describeSession({ state, servers, connectedTo: '10.0.0.1:2181' })).toEqual({
      ...{ state: 'suspended', since: new Date(0), servers },
      lastConnectedTo: '10.0.0.1:2181',
    });
  });

  it('says why there is no connection, rather than what ZooKeeper refused before', () => {
    const refusal = { path: '/locks', code: 'ZK_QUOTA_EXCEEDED', since: new Date(0) };
    const problem = 'connect ECONNREFUSED 10.0.0.1:2181';
    const snapshot = { state: { name: 'connecting' }, servers, problem, refusal } as const;
    expect(describeSession(snapshot)).toMatchObject({ problem });
  });

  it('is described without nesting, with the details of each state except the session id', () => {
    expect(
      describeSession({
        state: { name: 'connected', sessionId, timeoutMs: 10_000 },
        servers: 'zk:2181/app',
        connectedTo: '10.0.0.1:2181',
        configuredServer: 'zk:2181',
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
