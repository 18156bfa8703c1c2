import { expect, it, vi } from 'vitest';
import {
  LockLostError,
  LockReleasedError,
  LockTimeoutError,
} from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZkClosedError } from '../../libs/zk-client/src/zk-lock-error.js';
import { cutOff, lossOf } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { makeLasting } from '../support/place.js';
import { openSemaphorePlace } from '../support/semaphores.js';

async function open(permits: number) {
  const place = await openSemaphorePlace();
  const [semaphore, locks] = await place.join(permits);
  return { ...place, semaphore, locks };
}

it('releases a permit once, however often release() is called', async () => {
  const { semaphore, leases, locks } = await open(1);
  const permit = await semaphore.acquire();
  expect(locks.counts).toEqual({ held: 1, waiting: 0 });
  await Promise.all([permit.release(), permit.release()]);
  await permit[Symbol.asyncDispose]();
  expect(await leases()).toEqual([]);
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  expect(permit.isHeld).toBe(false);
  expect(permit.signal.aborted).toBe(false);
  expect(() => permit.assertHeld()).toThrow(LockReleasedError);
  expect(() => permit.assertHeld()).toThrow('This permit of the semaphore "k"');
});

it("writes the nodes of Curator's InterProcessSemaphoreV2, with data that identify the holder", async () => {
  const { directory, inspector, leases, queue, queued, join } = await openSemaphorePlace();
  const [semaphore, locks] = await join(2, { dialect: 'kazoo', application: 'billing' });
  await using _held = await semaphore.acquire({ take: 2, label: 'month end' });
  const names = await leases();
  expect(names).toHaveLength(2);
  const holder = { pid: process.pid, application: 'billing', label: 'month end', permits: 2 };
  for (const name of names) {
    expect(name).toMatch(/^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-of-2-lease-\d{10}$/);
    const { data } = await inspector.get(`${directory}/leases/${name}`);
    expect(JSON.parse(data.toString())).toMatchObject(holder);
  }
  const waiting = semaphore.acquire({ timeoutMs: 5_000 }).catch(() => undefined);
  await queued(1);
  expect(await queue()).toEqual([expect.stringMatching(/^_c_[0-9a-f-]{36}-lock-\d{10}$/)]);
  await locks.close();
  await waiting;
});

it('rejects all waiters when it is closed, gives holders time, and leaves nothing', async () => {
  const { locks, semaphore, leased, queued, empty } = await open(1);
  const holder = await semaphore.acquire();
  const waiting = [semaphore.acquire(), semaphore.acquire()];
  await leased(2);
  await queued(2);
  const closing = locks.close({ graceMs: 10_000 });
  for (const each of waiting) await expect(each).rejects.toThrow(ZkClosedError);
  await leased(1);
  await queued(0);
  expect(holder.isHeld).toBe(true);
  await holder.release();
  await closing;
  await empty();
  await expect(semaphore.acquire()).rejects.toThrow(ZkClosedError);
  await expect(semaphore.inspect()).rejects.toThrow(ZkClosedError);
});

it('writes nothing if it tries to get permits that are not free, or that others wait for', async () => {
  const { root, directory, inspector, semaphore, leased, join } = await open(2);
  await makeLasting({ root, directory, inspector }, 'locks');
  const proxy = await openProxy();
  const [trying] = await join(2, { servers: proxy.connectString });
  const holder = await semaphore.acquire();

  expect(await trying.tryAcquire({ take: 2 })).toBeNull();
  await expect(trying.acquire({ take: 2, timeoutMs: 0 })).rejects.toThrow(LockTimeoutError);
  const waiting = semaphore.acquire({ take: 2 });
  await leased(3);
  expect(await trying.tryAcquire()).toBeNull();
  await holder.release();
  await (await waiting).release();

  // All permits are free, but another client is about to take some.
  const queue = `${directory}/locks/_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lock-`;
  const before = await inspector.create(queue, '', 'ephemeralSequential');
  expect(await trying.tryAcquire()).toBeNull();
  await inspector.delete(before);
  expect((await proxy.requests()).create).toBe(0);

  await using permit = await trying.tryAcquire({ take: 2 });
  expect(permit?.isHeld).toBe(true);
});

it('needs an answer from ZooKeeper, and says so', async () => {
  const { join } = await openSemaphorePlace();
  const proxy = await openProxy();
  const options = { servers: proxy.connectString, connectTimeoutMs: 4_000 };
  const [semaphore, locks] = await join(1, options);
  await cutOff(proxy, locks);
  const asking = [
    semaphore.acquire({ timeoutMs: 100 }),
    semaphore.tryAcquire(),
    semaphore.inspect(),
  ];
  const refused = { status: 'rejected', reason: { code: 'ZK_UNAVAILABLE' } };
  expect(await Promise.allSettled(asking)).toMatchObject(asking.map(() => refused));
  await proxy.accept();
});

it('is lost when an operator deletes one of its leases, and releases the others', async () => {
  const { semaphore, locks, leases, remove, empty } = await open(3);
  const permit = await semaphore.acquire({ take: 3 });
  await remove('leases', (await leases())[1]!);
  const loss = await lossOf(permit);
  expect(loss).toBeInstanceOf(LockLostError);
  expect(loss).toMatchObject({ reason: 'node-deleted', mode: 'permit', key: 'k' });
  expect(String(loss)).toContain('A permit of the semaphore "k" was lost');
  expect(permit.isHeld).toBe(false);
  const thrown = vi.fn(() => permit.assertHeld());
  for (let call = 0; call < 2; call++) {
    expect(thrown).toThrow(expect.objectContaining({ code: 'LOCK_LOST', cause: loss }) as Error);
  }
  const [first, second] = thrown.mock.results;
  expect(first!.value).not.toBe(second!.value);
  expect(locks.counts.held).toBe(0);
  await permit.release();
  await empty();
});
