import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { LockDirectoryError, LockKeyError } from '../../libs/zk-locks/src/lock-errors.js';
import { DIALECT_NAMES } from '../../libs/zk-locks/src/queue/dialect.js';
import { openLocks, openWorker } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { ZkLockConfigError } from '../../libs/zk-locks/src/zk-lock-error.js';

const GUID = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c00';

describe('a look at a semaphore', () => {
  it('shows who holds permits and who waits for them, over all processes', async () => {
    const { root, queued, leased } = await openSemaphorePlace();
    const worker = await openWorker({ root, application: 'reports' });
    const locks = await openLocks({ root, application: 'billing' });
    const semaphore = locks.semaphore('k', { permits: 3 });
    const own = await semaphore.acquire({ permits: 2, label: 'invoice 7' });
    const { lock } = await worker.acquirePermits('k', 3);
    const third = semaphore.acquire({ permits: 2 });
    await leased(5);
    const fourth = worker.acquirePermits('k', 3);
    await queued(2);

    const seen = await semaphore.inspect({ linearizable: true });
    expect(seen).toMatchObject({ key: 'k', permits: 3, total: 5 });
    const ours = { host: hostname(), pid: process.pid, application: 'billing' };
    expect(seen.holders).toMatchObject([
      { isEphemeral: true, holder: { ...ours, label: 'invoice 7', permits: 2 } },
      { isEphemeral: true, holder: { ...ours, label: 'invoice 7', permits: 2 } },
      { holder: { application: 'reports', permits: 1 } },
    ]);
    expect(seen.waiters).toMatchObject([
      { isEphemeral: true, holder: { ...ours, permits: 2 } },
      { holder: { application: 'reports', permits: 1 } },
    ]);
    for (const at of [seen.holders[0]!.since, seen.waiters[0]!.queuedAt]) {
      expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000);
    }
    expect(await semaphore.inspect({ limit: 2 })).toMatchObject({
      holders: seen.holders.slice(0, 2),
      waiters: [],
      total: 5,
    });
    expect(await semaphore.inspect({ limit: 4 })).toMatchObject({
      holders: seen.holders,
      waiters: seen.waiters.slice(0, 1),
    });
    expect(await locks.list()).toEqual(['k']);

    await own.release();
    await (await third).release();
    await worker.release(lock);
    await worker.release((await fourth).lock);
  });

  it('leaves no trace where nobody has ever wanted a permit', async () => {
    const { root, inspector } = await openSemaphorePlace();
    const locks = await openLocks({ root });
    const count = uniqueRoot();
    for (const permits of [2, { sharedCount: count, seed: 2 }]) {
      const seen = await locks.semaphore('k', { permits }).inspect();
      expect(seen).toEqual({ key: 'k', permits: 2, holders: [], waiters: [], total: 0 });
    }
    expect(await inspector.exists(root)).toBeUndefined();
    expect(await inspector.exists(count)).toBeUndefined();
  });

  it('refuses options that there are not', async () => {
    const { root } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 1 });
    await expect(semaphore.inspect({ limit: 0 })).rejects.toThrow('limit');
    await expect(semaphore.inspect({ depth: 1 } as never)).rejects.toThrow('depth');
  });
});

describe('the queue', () => {
  it('is in order up to the end of the sequence numbers', async () => {
    const { root, directory, inspector } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 1 });
    await inspector.create(root);
    await inspector.create(directory);
    await inspector.create(`${directory}/locks`);
    const names = ['0000000007', '2000000000', '2147483645', '2147483646'].map(
      (sequence, index) => `_c_${GUID}0${index}-lock-${sequence}`,
    );
    for (const name of names.toSorted()) {
      await inspector.create(`${directory}/locks/${name}`, '', 'ephemeral');
    }
    const { waiters, lastSequence } = await semaphore.inspect();
    expect(waiters.map(({ node }) => node)).toEqual(names);
    expect(lastSequence).toBe(2_147_483_646);
    for (const name of names) await inspector.delete(`${directory}/locks/${name}`);
  });

  it('refuses all calls where it has a negative number', async () => {
    const { root, directory, inspector, queued, leased } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 1 });
    await (await semaphore.acquire()).release();
    const theirs = `${directory}/locks/_c_${GUID}00-lock--000000005`;
    await inspector.create(theirs, '', 'ephemeral');
    await expect(semaphore.tryAcquire()).rejects.toThrow(LockDirectoryError);
    await expect(semaphore.acquire()).rejects.toThrow(LockDirectoryError);
    await expect(semaphore.inspect()).rejects.toThrow(LockDirectoryError);
    await queued(1);
    await leased(0);
    await inspector.delete(theirs);
    await (await semaphore.acquire()).release();
  });
});

describe('a key', () => {
  it.each(DIALECT_NAMES)('of a semaphore is refused to locks of %s, saying so', async (dialect) => {
    const { root, leases, queue } = await openSemaphorePlace();
    const locks = await openLocks({ root, dialect });
    const permit = await locks.semaphore('k', { permits: 1 }).acquire();
    for (const mistaken of [
      () => locks.acquire('k'),
      () => locks.tryAcquire('k'),
      () => locks.inspect('k'),
    ]) {
      await expect(mistaken()).rejects.toThrow(LockDirectoryError);
      await expect(mistaken()).rejects.toThrow('take and inspect it by `semaphore(key)`');
    }
    expect(permit.isHeld).toBe(true);
    expect(await leases()).toHaveLength(1);
    expect(await queue()).toEqual([]);
    await permit.release();
  });

  it.each(DIALECT_NAMES)('of a lock of %s is refused to a semaphore', async (dialect) => {
    const { root, directory, inspector } = await openSemaphorePlace();
    const locks = await openLocks({ root, dialect });
    const lock = await locks.acquire('k');
    const semaphore = locks.semaphore('k', { permits: 1 });
    for (const mistaken of [() => semaphore.acquire(), () => semaphore.tryAcquire()]) {
      await expect(mistaken()).rejects.toThrow(LockDirectoryError);
      await expect(mistaken()).rejects.toThrow('Give the semaphore a key of its own');
    }
    expect(await inspector.children(directory)).toHaveLength(1);
    expect(lock.isHeld).toBe(true);
    await lock.release();
    await (await semaphore.acquire()).release();
  });

  it('whose queue holds other nodes is refused, and nothing is left there', async () => {
    const { root, directory, inspector, queue } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 1 });
    await semaphore.withPermit(() => undefined);
    await inspector.create(`${directory}/locks/somebody-elses-node`);
    for (const asking of [() => semaphore.acquire(), () => semaphore.inspect()]) {
      await expect(asking()).rejects.toThrow('somebody-elses-node');
    }
    await waitFor(async () => (await queue()).length === 1, { what: 'our node to be removed' });
  });
});

describe('options', () => {
  it.each([
    ['permits', undefined],
    ['permits', {}],
    ['permits', { permits: 0 }],
    ['permits', { permits: 1.5 }],
    ['permits', { permits: 8_001 }],
    ['permits', { permits: '4' }],
    ['permits', { permits: null }],
    ['size', { permits: 4, size: 4 }],
    ['seed', { permits: { sharedCount: '/c' } }],
    ['seed', { permits: { sharedCount: '/c', seed: -1 } }],
    ['sharedCount', { permits: { seed: 1 } }],
    ['sharedCount', { permits: { sharedCount: 'c', seed: 1 } }],
    ['sharedCount', { permits: { sharedCount: '/', seed: 1 } }],
    ['sharedCount', { permits: { sharedCount: '/a//b', seed: 1 } }],
    ['sharedCount', { permits: { sharedCount: '/zookeeper/c', seed: 1 } }],
    ['initial', { permits: { sharedCount: '/c', seed: 1, initial: 1 } }],
  ])('of a semaphore name %s when it is wrong: %j', async (option, options) => {
    const { root } = await openSemaphorePlace();
    const locks = await openLocks({ root });
    const opening = (): unknown => locks.semaphore('k', options as never);
    expect(opening).toThrow(ZkLockConfigError);
    expect(opening).toThrow(`\`${option}\``);
  });

  it.each([
    ['permits', { permits: 0 }],
    ['permits', { permits: 5 }],
    ['permits', { permits: '1' }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['label', { label: '' }],
    ['signal', { signal: {} }],
    ['mode', { mode: 'read' }],
  ])('of a call name %s when it is wrong: %j', async (option, options) => {
    const { root, empty } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 4 });
    for (const call of [
      () => semaphore.acquire(options as never),
      () => semaphore.withPermit(options as never, () => undefined),
    ]) {
      await expect(call()).rejects.toThrow(ZkLockConfigError);
      await expect(call()).rejects.toThrow(`\`${option}\``);
    }
    await empty();
  });

  it('are checked before the work, which has to be a function, and the key', async () => {
    const { root } = await openSemaphorePlace();
    const locks = await openLocks({ root });
    expect(() => locks.semaphore('', { permits: 1 })).toThrow(LockKeyError);
    const semaphore = locks.semaphore('k', { permits: 1 });
    await expect(semaphore.withPermit({} as never)).rejects.toThrow('`fn`');
  });
});
