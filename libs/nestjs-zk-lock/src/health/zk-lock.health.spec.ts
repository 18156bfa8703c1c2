import type { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService } from '@nestjs/terminus';
import { describe, expect, it } from 'vitest';
import type { SessionState } from 'zk-locks';
import { ZkLockHealthIndicator } from './zk-lock.health.js';

const suspended: SessionState = { name: 'suspended', sessionId: '1f', since: new Date(0) };

function indicatorOf(state: SessionState, terminus: HealthIndicatorService): ZkLockHealthIndicator {
  const locks = {
    session: { snapshot: { state, servers: 'zk:2181' } },
    counts: { held: 2, waiting: 1 },
  };
  return new ZkLockHealthIndicator(terminus, { get: () => locks } as unknown as ModuleRef);
}

/** As Terminus 11 has it, which knows two states. */
const terminus11 = {
  check: (key: string) => ({
    up: (details: object) => ({ [key]: { ...details, status: 'up' } }),
    down: (details: object) => ({ [key]: { ...details, status: 'down' } }),
  }),
} as unknown as HealthIndicatorService;

describe('a suspended session', () => {
  it.each([
    ['degraded', 12, new HealthIndicatorService()],
    ['down', 11, terminus11],
  ])('is %s for Terminus %i', (status, _version, terminus) => {
    expect(indicatorOf(suspended, terminus).isHealthy('zk')).toEqual({
      zk: {
        status,
        state: 'suspended',
        since: new Date(0),
        servers: 'zk:2181',
        held: 2,
        waiting: 1,
      },
    });
  });
});

it('refuses an option that it does not have', () => {
  const indicator = indicatorOf(suspended, new HealthIndicatorService());
  expect(() => indicator.isHealthy('zk', { name: 'billing' } as never)).toThrow(
    '`name` is not an option. Use connection.',
  );
});
