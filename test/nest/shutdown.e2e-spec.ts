import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import { LockService, ZkClosedError, Locked } from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { useGate } from './support/gate.js';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

const gate = useGate();

const isClosing = (locks: LockService): Promise<boolean> =>
  locks.acquire('probe').then(
    async (lock) => (await lock.release(), false),
    (error: unknown) => error instanceof ZkClosedError,
  );

describe('closing the application', () => {
  const start = async (shutdownGraceMs = 5_000): Promise<[INestApplication, LockService]> => {
    const app = await apps.start({ imports: [apps.zkLock({ shutdownGraceMs })] });
    return [app, app.get(LockService)];
  };

  it('rejects waiters, lets holders finish, refuses new locks, and ends the session', async () => {
    const [app, locks] = await start();
    const holder = locks.withLock('key', async (lock) => {
      await gate.pass();
      lock.assertHeld();
      return 'finished';
    });
    await apps.untilQueued(1);
    const waiter = expect(locks.acquire('key')).rejects.toThrow(ZkClosedError);
    await apps.untilQueued(2);
    const closed = app.close();
    await waiter;
    await waitFor(() => isClosing(locks), { what: 'new locks to be refused' });
    expect(await apps.lockNodes()).toHaveLength(1);
    gate.open();
    expect(await holder).toBe('finished');
    await closed;
    expect(locks.session.snapshot.state.name).toBe('closed');
    expect(locks.counts).toEqual({ held: 0, waiting: 0, skipped: 0 });
    expect(await apps.lockNodes()).toEqual([]);
    await expect(locks.tryAcquire('key')).rejects.toThrow(ZkClosedError);
  });

  it('lets the shutdown hooks of other modules still take locks', async () => {
    @Injectable()
    class Flusher implements OnApplicationShutdown {
      flushed = false;

      async onApplicationShutdown(): Promise<void> {
        this.flushed ||= await this.flush();
      }

      @Locked('flush')
      flush(): Promise<boolean> {
        return Promise.resolve(true);
      }
    }
    @Module({ providers: [Flusher] })
    class Inner {}
    @Module({ imports: [Inner] })
    class Outer {}
    const app = await apps.start({ imports: [apps.zkLock(), Outer] });
    const flusher = app.get(Flusher, { strict: false });
    await app.close();
    expect(flusher.flushed).toBe(true);
  });
});
