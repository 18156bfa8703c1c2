import { Injectable } from '@nestjs/common';
import { LockService, LockServiceClosedError, type Semaphore } from 'nestjs-zk-lock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { Gate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

let gate: Gate;
beforeEach(() => (gate = new Gate()));
afterEach(() => {
  gate.open();
});

/** A provider that opens its semaphore when it is built, before there is a connection. */
@Injectable()
class RenderFarm {
  readonly gpus: Semaphore;

  constructor(readonly locks: LockService) {
    this.gpus = locks.semaphore('gpu', { permits: 2 });
  }
}

const start = async (shutdownGraceMs = 5_000) => {
  const app = await apps.start({
    imports: [apps.zkLock({ shutdownGraceMs })],
    providers: [
      {
        provide: RenderFarm,
        useFactory: (locks: LockService) => new RenderFarm(locks),
        inject: [LockService],
      },
    ],
  });
  const { gpus, locks } = app.get(RenderFarm);
  return { app, gpus, locks };
};

describe('a semaphore of the lock service', () => {
  it('is made in a constructor, and lets so many replicas in', async () => {
    const { gpus, locks } = await start();
    const replica = (await apps.replica()).semaphore('gpu', { permits: 2 });
    expect(replica.key).toBe('gpu');
    const shown = await gpus.withPermit(async (permit) => {
      await using other = await replica.acquire({ label: 'film' });
      expect(await gpus.tryAcquire()).toBeNull();
      expect(locks.counts).toEqual({ held: 1, waiting: 0, skipped: 0 });
      expect(other.isHeld && permit.isHeld).toBe(true);
      return await gpus.inspect();
    });
    expect(shown.holders.map(({ holder }) => holder?.label)).toEqual([undefined, 'film']);
    expect(await gpus.permits()).toBe(2);
    await expect(gpus.setPermits(3)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    await gpus.withPermit({ permits: 2 }, ({ permits }) => {
      expect(permits).toBe(2);
    });
  });

  it('ends its waits at a shutdown, and lets holders finish', async () => {
    const { app, gpus } = await start();
    const holder = gpus.withPermit({ permits: 2 }, async (permit) => {
      await gate.pass();
      permit.assertHeld();
      return 'finished';
    });
    await waitFor(async () => (await gpus.inspect()).holders.length === 2, { what: 'the holder' });
    const waiting = [gpus.acquire(), gpus.withPermit(() => undefined)].map((waiter) =>
      expect(waiter).rejects.toThrow(LockServiceClosedError),
    );
    await waitFor(async () => (await gpus.inspect()).waiters.length === 2, { what: 'the waiters' });
    const closed = app.close();
    await Promise.all(waiting);
    gate.open();
    expect(await holder).toBe('finished');
    await closed;
    await expect(gpus.tryAcquire()).rejects.toThrow(LockServiceClosedError);
  });

  it('is told of the loss when holders outstay the grace', async () => {
    const { app, gpus } = await start(50);
    const permit = await gpus.acquire();
    await app.close();
    expect(permit.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'service-closed' });
    await permit.release();
  });

  it('stops waiting when its caller does', async () => {
    const { gpus } = await start();
    await using _both = await gpus.acquire({ permits: 2 });
    const controller = new AbortController();
    const waiting = gpus.acquire({ signal: controller.signal });
    await waitFor(async () => (await gpus.inspect()).waiters.length === 1, { what: 'the waiter' });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', mode: 'permit' });
  });
});
