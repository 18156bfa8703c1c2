import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Lock, LockService, Locked, ZkLockConfigError, currentLock } from 'nestjs-zk-lock';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

/** Longer than any test. */
const VERY_LONG_MS = 600_000;

const untilAborted = async ({ signal }: Lock): Promise<void> => {
  await sleep(VERY_LONG_MS, undefined, { signal });
};

let nested: unknown;

@Injectable()
class Jobs {
  @Locked('kept', { minHoldMs: VERY_LONG_MS })
  async keep(): Promise<string> {
    return Promise.resolve('done');
  }

  @Locked('kept', { minHoldMs: VERY_LONG_MS })
  async keepUntilAborted(): Promise<void> {
    await untilAborted(currentLock()).catch(() => undefined);
  }

  @Locked('kept')
  async around(): Promise<void> {
    await this.keep();
  }

  @Locked('kept', { maxHoldMs: 50 })
  async aroundForSome(): Promise<void> {
    await this.keep();
    await untilAborted(currentLock()).catch(() => undefined);
  }

  @Locked('job', { maxHoldMs: 50 })
  async untilTimeIsUp(stop: (lock: Lock) => Promise<unknown>): Promise<unknown> {
    return stop(currentLock());
  }

  @Locked('job', { maxHoldMs: (ms: number | undefined) => ms })
  async forSome(_ms: number | undefined, work: (lock: Lock) => Promise<void>): Promise<void> {
    await work(currentLock());
  }

  @Locked(['job', 'other'], { maxHoldMs: 50 })
  async nestAfter(locks: LockService, work: () => Promise<void>): Promise<void> {
    await untilAborted(currentLock()).catch(() => undefined);
    await work();
    nested = await locks.withLock('job', (lock) => lock.isHeld).catch((error: unknown) => error);
  }

  @Locked('job')
  async joined(): Promise<void> {
    await this.joinedAgain();
  }

  @Locked('job')
  async joinedAgain(): Promise<void> {
    await untilAborted(currentLock());
  }

  @Locked('job')
  async goOn(): Promise<boolean> {
    const lock = currentLock();
    await untilAborted(lock).catch(() => undefined);
    lock.assertHeld();
    return lock.isHeld;
  }

  @Locked('job', { maxHoldMs: 50 })
  async keepReading(locks: LockService): Promise<Lock> {
    const reading = await locks.acquire('job', { mode: 'read' });
    await untilAborted(currentLock()).catch(() => undefined);
    return reading;
  }

  @Locked(['job', 'other'], { maxHoldMs: 50 })
  async both(locks: LockService): Promise<void> {
    expect(currentLock().key).toBe('job');
    expect(locks.currentLock('other').signal).toBe(locks.currentLock('job').signal);
    await untilAborted(locks.currentLock('other'));
  }
}

it.each([
  ['', 'around'],
  [', even of one whose time is up', 'aroundForSome'],
] as const)(
  'minHoldMs keeps a lock that the method joined beyond the end of the section around it%s',
  async (_, around) => {
    // A shutdown that waited for kept locks would take longer than a test may.
    const zkLock = apps.zkLock({ shutdownGraceMs: VERY_LONG_MS });
    const app = await apps.start({ imports: [zkLock], providers: [Jobs] });
    await app.get(Jobs)[around]();
    expect(await (await apps.replica()).tryAcquire('kept')).toBeNull();
  },
);

it('minHoldMs keeps no lock of a method that succeeded after another lock of its section was lost', async () => {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Jobs] });
  const loss = { code: 'LOCK_LOST', key: 'other' };
  const working = app.get(LockService).withLocks(['kept', 'other'], async () => {
    const call = expect(app.get(Jobs).keepUntilAborted()).rejects.toMatchObject(loss);
    await apps.deleteLockNodes('other');
    await call;
  });
  await expect(working).rejects.toMatchObject(loss);
});

describe('maxHoldMs', () => {
  let jobs: Jobs;
  let locks: LockService;

  beforeEach(async () => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Jobs] });
    jobs = app.get(Jobs);
    locks = app.get(LockService);
  });

  const timeout = {
    name: 'LockHoldTimeoutError',
    code: 'LOCK_HOLD_TIMEOUT',
    key: 'job',
    maxHoldMs: 50,
  };

  it('hides no loss of another key of the section from a nested call', async () => {
    const found = jobs.nestAfter(locks, async () => {
      await apps.deleteLockNodes('other');
      await expect.poll(() => locks.currentLock('other').isHeld).toBe(false);
    });
    await expect(found).rejects.toMatchObject({ code: 'LOCK_LOST', key: 'other' });
    expect(nested).toMatchObject({ code: 'LOCK_LOST', key: 'other' });
  });

  it('applies to all of several keys, and to the signal of each', async () => {
    await expect(jobs.both(locks)).rejects.toMatchObject({ code: timeout.code });
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('applies to methods that join the lock, however deep', async () => {
    await expect(jobs.untilTimeIsUp(() => jobs.joined())).rejects.toMatchObject(timeout);
    expect(await apps.lockNodes()).toEqual([]);
  });

  it('does not take the lock of a method that joins it and goes on', async () => {
    expect(await jobs.untilTimeIsUp(() => jobs.goOn())).toBe(true);
  });

  it('does not apply to a lock that outlives the method', async () => {
    await using reading = await jobs.keepReading(locks);
    expect([reading.isHeld, reading.signal.aborted]).toEqual([true, false]);
  });

  it('is unlimited where its function returns undefined, and an invalid result is refused', async () => {
    let signal: AbortSignal | undefined;
    await jobs.forSome(undefined, async (lock) => {
      signal = lock.signal;
      await expect(jobs.untilTimeIsUp(untilAborted)).rejects.toMatchObject(timeout);
    });
    expect(signal?.aborted).toBe(false);
    await expect(jobs.forSome(0, untilAborted)).rejects.toThrow(ZkLockConfigError);
  });
});
