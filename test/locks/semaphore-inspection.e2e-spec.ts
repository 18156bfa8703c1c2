import { makeLasting } from '../support/place.js';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { LockDirectoryError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { DIALECT_NAMES } from '../../libs/zk-locks/src/nodes/dialect.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { uniqueRoot } from '../support/shared-server.js';

const GUID = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c00';

describe('inspection of a semaphore', () => {
  it('shows who holds permits and who waits for them, across all sessions', async () => {
    const { queued, leased, join } = await openSemaphorePlace();
    const [others] = await join(3, { application: 'reports' });
    const [semaphore, locks] = await join(3, { application: 'billing' });
    const own = await semaphore.acquire({ take: 2, label: 'invoice 7' });
    const other = await others.acquire();
    const third = semaphore.acquire({ take: 2 });
    await leased(5);
    const fourth = others.acquire();
    await queued(2);

    const seen = await semaphore.inspect({ linearizable: true });
    expect(seen).toMatchObject({ key: 'k', permits: 3, total: 5 });
    const ours = { host: hostname(), pid: process.pid, application: 'billing' };
    const held = { isEphemeral: true, holder: { ...ours, label: 'invoice 7', permits: 2 } };
    const theirs = { holder: { application: 'reports', permits: 1 } };
    expect(seen.holders).toMatchObject([held, held, theirs]);
    expect(seen.waiters).toMatchObject([
      { isEphemeral: true, holder: { ...ours, permits: 2 } },
      theirs,
    ]);
    for (const at of [seen.holders[0]!.queuedAt, seen.waiters[0]!.queuedAt]) {
      expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000);
    }
    expect(await semaphore.inspect({ limit: 2 })).toMatchObject({
      ...{ holders: seen.holders.slice(0, 2), waiters: [], total: 5 },
    });
    expect(await semaphore.inspect({ limit: 4 })).toMatchObject({
      ...{ holders: seen.holders, waiters: seen.waiters.slice(0, 1) },
    });
    expect(await locks.list()).toEqual(['k']);

    await own.release();
    await (await third).release();
    await other.release();
    await (await fourth).release();
  });

  it('leaves no trace if no permit was ever taken', async () => {
    const { root, inspector, join } = await openSemaphorePlace();
    const count = uniqueRoot();
    for (const permits of [2, { sharedCount: count, seed: 2 }]) {
      const [semaphore] = await join(permits);
      const seen = await semaphore.inspect();
      expect(seen).toEqual({ key: 'k', permits: 2, holders: [], waiters: [], total: 0 });
    }
    expect(await inspector.exists(root)).toBeUndefined();
    expect(await inspector.exists(count)).toBeUndefined();
  });
});

describe('the queue', () => {
  it.each([
    ['a negative number', `_c_${GUID}00-lock--000000005`, 'has reached its end'],
    ['a node of another kind', 'foreign-node', 'foreign-node'],
  ])('refuses all calls where it has %s, and nothing is left there', async (_, name, message) => {
    const { root, directory, inspector, join, queued, leased, remove } = await openSemaphorePlace();
    await makeLasting({ root, directory, inspector }, 'locks');
    const [semaphore] = await join(1);
    await (await semaphore.acquire()).release();
    await inspector.create(`${directory}/locks/${name}`);
    for (const call of ['tryAcquire', 'acquire', 'inspect'] as const) {
      const refused = semaphore[call]();
      await expect(refused).rejects.toThrow(LockDirectoryError);
      await expect(refused).rejects.toThrow(message);
    }
    await queued(1);
    await leased(0);
    await remove('locks', name);
    await (await semaphore.acquire()).release();
  });
});

describe.each(DIALECT_NAMES)('a key in the dialect %s', (dialect) => {
  const options = { dialect, ...(dialect === 'single-node' && { client: 'wire' as const }) };

  it('of a semaphore is refused to locks, with the reason', async () => {
    const { join, leases, queue } = await openSemaphorePlace();
    const [semaphore, locks] = await join(1, options);
    const permit = await semaphore.acquire();
    for (const call of ['acquire', 'tryAcquire', 'inspect'] as const) {
      const refused = locks[call]('k');
      await expect(refused).rejects.toThrow(LockDirectoryError);
      await expect(refused).rejects.toThrow('Use it with `semaphore(key)`');
    }
    expect(permit.isHeld).toBe(true);
    expect(await leases()).toHaveLength(1);
    expect(await queue()).toEqual([]);
    await permit.release();
  });

  it('of a lock is refused to a semaphore', async () => {
    const { directory, inspector, join } = await openSemaphorePlace();
    const [semaphore, locks] = await join(1, options);
    const lock = await locks.acquire('k');
    for (const call of ['acquire', 'tryAcquire'] as const) {
      const refused = semaphore[call]();
      await expect(refused).rejects.toThrow(LockDirectoryError);
      await expect(refused).rejects.toThrow('Give the semaphore a key of its own');
    }
    expect(await inspector.children(directory)).toHaveLength(1);
    expect(lock.isHeld).toBe(true);
    await lock.release();
    await (await semaphore.acquire()).release();
  });
});
