import { Injectable } from '@nestjs/common';
import { currentLock, Locked, LockService, LockTimeoutError } from 'nestjs-zk-lock';
import { describe, expect, it } from 'vitest';
import { useTestApps } from './support/test-apps.js';

const apps = useTestApps();

async function twoReplicas() {
  const replica = () => apps.start({ imports: [apps.zkLock({ application: 'bank' })] });
  const [one, other] = await Promise.all([replica(), replica()]);
  return [one.get(LockService), other.get(LockService)] as const;
}

describe('LockService', () => {
  it('holds the locks of several keys together', async () => {
    const [ours, theirs] = await twoReplicas();
    await using _held = await theirs.acquire('b');
    // Time enough to find that somebody is in the way, also on a machine that has much else to do.
    const waiting = ours.acquireAll(['b', 'a'], { timeoutMs: 1_000 });
    await expect(waiting).rejects.toThrow(LockTimeoutError);
    expect(await ours.tryAcquireAll(['a', 'b'])).toBeNull();
    await using both = await ours.acquireAll(['c', { key: 'a', mode: 'read' }]);
    expect(both.locks.map(({ key, mode }) => [key, mode])).toEqual([
      ['a', 'read'],
      ['c', 'write'],
    ]);
  });

  it('runs work under several locks, with options or without', async () => {
    const [ours, theirs] = await twoReplicas();
    const busy = await ours.withLocks(['a', 'b'], async ({ isHeld }) => {
      expect(isHeld).toBe(true);
      expect(ours.currentLock('a').key).toBe('a');
      return theirs.tryAcquireAll(['b', 'c']);
    });
    expect(busy).toBeNull();
    const modes = await ours.withLocks(['a', 'b'], { mode: 'read' }, ({ locks }) =>
      locks.map(({ mode }) => mode),
    );
    expect(modes).toEqual(['read', 'read']);
  });

  it('shows who holds a lock and who waits, and which keys are in use', async () => {
    const [ours, theirs] = await twoReplicas();
    const lock = await ours.acquire('a', { label: 'transfer 7' });
    const waiting = theirs.acquire('a');
    await expect.poll(async () => (await theirs.inspect('a')).total).toBe(2);
    const { holders, waiters } = await theirs.inspect('a', { linearizable: true });
    expect(holders).toMatchObject([
      { mode: 'write', holder: { application: 'bank', label: 'transfer 7', pid: process.pid } },
    ]);
    expect(waiters).toMatchObject([{ holder: { application: 'bank' } }]);
    expect(await ours.list()).toEqual(['a']);
    await lock.release();
    await (await waiting).release();
  });

  it('rejects, and does not throw, what cannot be inspected', async () => {
    const [ours] = await twoReplicas();
    await expect(ours.inspect('')).rejects.toMatchObject({ code: 'LOCK_KEY_INVALID' });
    await expect(ours.inspect('a', { limit: 0 })).rejects.toThrow('`limit`');
  });
});

it('labels the lock of a @Locked() method with its name', async () => {
  @Injectable()
  class Reports {
    constructor(private readonly locks: LockService) {}

    @Locked('nightly')
    async run(): Promise<string | undefined> {
      const { holders } = await this.locks.inspect('nightly');
      return holders[0]?.holder?.label;
    }
  }
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Reports] });
  expect(await app.get(Reports).run()).toBe('Reports.run');
});

describe('a @Locked() method with several keys', () => {
  @Injectable()
  class Bank {
    constructor(private readonly locks: LockService) {}

    @Locked(['account:{0}', 'account:{1}'], { timeoutMs: 5_000 })
    async transfer(_from: string, _to: string, between: () => Promise<void>): Promise<string> {
      await between();
      return currentLock().key;
    }

    @Locked((...ids: string[]) => ids.map((id) => `account:${id}`), { timeoutMs: 0 })
    async close(...ids: string[]): Promise<number> {
      return ids.filter((id) => this.locks.currentLock(`account:${id}`).isHeld).length;
    }

    @Locked((...ids: string[]) => ids)
    async nothing(..._ids: string[]): Promise<void> {}
  }
  const open = async (): Promise<Bank> => {
    const app = await apps.start({ imports: [apps.zkLock()], providers: [Bank] });
    return app.get(Bank);
  };

  it('holds all of them while it runs, and its own lock is that of the first', async () => {
    const bank = await open();
    const key = await bank.transfer('z', 'a', async () => {
      // Nested calls join.
      for (const id of ['a', 'z']) expect(await bank.close(id)).toBe(1);
    });
    expect(key).toBe('account:z');
    expect(await bank.close('a', 'z')).toBe(2);
  });

  it('keeps out calls for any of them, in whatever order they are named', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    let inside = 0;
    const section = async (): Promise<void> => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2 ? one.transfer('a', 'b', section) : other.transfer('b', 'a', section),
      ),
    );
    const busy = one.transfer('a', 'b', async () => {
      await expect(other.close('c', 'b')).rejects.toThrow(LockTimeoutError);
    });
    await busy;
  });

  it('does not run without keys', async () => {
    const bank = await open();
    await expect(bank.nothing()).rejects.toMatchObject({ code: 'LOCK_KEY_INVALID' });
  });
});
