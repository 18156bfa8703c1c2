import FakeTimers, { type FakeMethod, type Clock } from '@sinonjs/fake-timers';
import type { TestingModule } from '@nestjs/testing';
import { LockService } from 'nestjs-zk-lock';
import { createLockTestingModule } from 'nestjs-zk-lock/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../support/wait-for.js';

interface Runner {
  useFakeTimers(): void;
  useRealTimers(): void;
}

const vitest: Runner = {
  useFakeTimers: () => void vi.useFakeTimers(),
  useRealTimers: () => void vi.useRealTimers(),
};

/**
 * The fake timers that Jest has, with Jest's settings. Only `process.nextTick` is left: Jest fakes it in
 * a copy of `process`, and here Node itself would stop.
 */
function jest(): Runner {
  let clock: Clock | undefined;
  return {
    useFakeTimers() {
      const { hrtime: _, nextTick: __, ...others } = FakeTimers.timers;
      const toFake = [...Object.keys(others), 'hrtime'] as FakeMethod[];
      clock = FakeTimers.install({ toFake, now: Date.now(), shouldClearNativeTimers: true });
    },
    useRealTimers: () => clock?.uninstall(),
  };
}

describe.each([
  ['Vitest', 'before', 'wire', vitest],
  ['Jest', 'after', 'native', jest()],
] as const)(
  'under the fake timers of %s, from %s the module on, with %s,',
  (_name, when, client, runner) => {
    let moduleRef: TestingModule;

    async function start(): Promise<LockService> {
      if (when === 'before') runner.useFakeTimers();
      moduleRef = await createLockTestingModule({}, { client }).compile();
      if (when === 'after') runner.useFakeTimers();
      return moduleRef.get(LockService);
    }
    afterEach(async () => {
      runner.useRealTimers();
      await moduleRef.close();
    });

    it('the session is kept alive while the clock stands still', async () => {
      const locks = await start();
      await using lock = await locks.acquire('job');
      // Heartbeats begin some hundred milliseconds after the connection.
      const { session } = locks;
      await waitFor(() => session.snapshot.lastRoundTripMs !== undefined, { what: 'a heartbeat' });
      expect(lock.isHeld).toBe(true);
    });

    it('many calls at once, permits and elections are served while the clock stands still', async () => {
      const locks = await start();
      const keys = Array.from({ length: 20 }, (_, index) => `order:${index}`);
      expect(await Promise.all(keys.map((key) => locks.withLock(key, () => key)))).toEqual(keys);
      const cards = locks.semaphore('cards', { permits: 1 });
      const both = [1, 2].map((call) => cards.withPermit(() => call));
      expect(await Promise.all(both)).toEqual([1, 2]);
      const term = await locks.election('reports').whenLeader();
      expect(term.isHeld).toBe(true);
    });
  },
);
