import FakeTimers, { type Clock, type FakeMethod } from '@sinonjs/fake-timers';
import type { TestingModule } from '@nestjs/testing';
import { LockService } from 'nestjs-zk-lock';
import { createLockTestingModule } from 'nestjs-zk-lock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';

/**
 * Jest's fake timers with Jest's settings; `example/` shows Vitest's. Only `process.nextTick` is
 * not faked: Jest replaces it in a copy of `process`, but here Node itself would stop.
 */
function useFakeTimers(): Clock {
  const { hrtime: _, nextTick: __, ...others } = FakeTimers.timers;
  const toFake = [...Object.keys(others), 'hrtime'] as FakeMethod[];
  return FakeTimers.install({ toFake, now: Date.now(), shouldClearNativeTimers: true });
}

describe.each([
  ['before', 'native'],
  ['after', 'wire'],
] as const)('under the fake timers of Jest, from %s the module on, with %s,', (when, client) => {
  let moduleRef: TestingModule;
  let clock: Clock | undefined;

  afterEach(async () => {
    clock?.uninstall();
    await moduleRef.close();
  });

  it('sessions stay alive, and calls, permits and elections are served, while the clock stands still', async () => {
    if (when === 'before') clock = useFakeTimers();
    moduleRef = await createLockTestingModule({}, { client, sessionTimeoutMs: 10_000 }).compile();
    clock ??= useFakeTimers();
    const locks = moduleRef.get(LockService);
    await using lock = await locks.acquire('job');
    // The first heartbeat is sent a second after connecting.
    const { session } = locks;
    await waitFor(() => session.snapshot.lastRoundTripMs !== undefined, { what: 'a heartbeat' });
    expect(lock.isHeld).toBe(true);
    const keys = Array.from({ length: 20 }, (_, index) => `order:${index}`);
    expect(await Promise.all(keys.map((key) => locks.withLock(key, () => key)))).toEqual(keys);
    const cards = locks.semaphore('cards', { permits: 1 });
    const both = [1, 2].map((call) => cards.withPermit(() => call));
    expect(await Promise.all(both)).toEqual([1, 2]);
    const term = await locks.election('reports').whenLeader();
    expect(term.isHeld).toBe(true);
  });
});
