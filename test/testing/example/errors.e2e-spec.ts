import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { currentLock, Locked, LockLostError, LockService, LockTimeoutError } from 'nestjs-zk-lock';
import { createLockTestingModule, holdElsewhere, loseLocks } from 'nestjs-zk-lock/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

@Injectable()
class Jobs {
  constructor(private readonly locks: LockService) {}

  @Locked('job', { timeoutMs: 0 })
  async run(): Promise<void> {
    await work(currentLock().signal);
  }

  async runByService(): Promise<void> {
    await this.locks.withLock('job', ({ signal }) => work(signal));
  }
}

/** Rejects with Node's own `AbortError`, which under Jest is no `Error` of the test's realm. */
const work = (signal: AbortSignal) => sleep(60_000, undefined, { signal });

describe('errors, in the test runner that loads these files', () => {
  let moduleRef: TestingModule;
  let locks: LockService;
  let jobs: Jobs;

  beforeEach(async () => {
    moduleRef = await createLockTestingModule({ providers: [Jobs] }).compile();
    locks = moduleRef.get(LockService);
    jobs = moduleRef.get(Jobs);
  });
  afterEach(() => moduleRef.close());

  it.each(['run', 'runByService'] as const)(
    'a loss rejects %s() with LockLostError',
    async (method) => {
      const failure = jobs[method]().catch((error: unknown) => error);
      while ((await locks.inspect('job')).holders.length === 0);
      await loseLocks(moduleRef);
      const error = await failure;
      expect(error).toBeInstanceOf(LockLostError);
      expect(error).toMatchObject({ name: 'LockLostError', code: 'LOCK_LOST' });
    },
  );

  it('a lock that is taken rejects with LockTimeoutError', async () => {
    await holdElsewhere(moduleRef, 'job');
    await expect(jobs.run()).rejects.toBeInstanceOf(LockTimeoutError);
  });
});
