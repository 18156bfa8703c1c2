import { expect, it } from 'vitest';
import type { Locks } from 'zk-locks';
import { type CommandSettings, onSession } from './command-flags.js';

it.each([
  { grantedMs: 30_000, lookEveryMs: 500 },
  { grantedMs: 4_000, lookEveryMs: 200 },
])('checks the lease of a session of $grantedMs ms every $lookEveryMs ms', (each) => {
  const state = { name: 'connected', sessionId: '0x1', timeoutMs: each.grantedMs };
  const locks = { session: { snapshot: { state } } } as unknown as Locks;
  const requested = { lookEveryMs: 500 } as CommandSettings;
  expect(onSession(locks, requested).lookEveryMs).toBe(each.lookEveryMs);
});
