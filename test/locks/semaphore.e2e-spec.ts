import { makeLasting } from '../support/place.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  LockAbortedError,
  LockReleasedError,
  LockTimeoutError,
} from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZkClosedError } from '../../libs/zk-client/src/zk-lock-error.js';
import type { Permit } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { cutOff } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openSemaphorePlace } from '../support/semaphores.js';

async function open(permits: number) {
  const place = await openSemaphorePlace();
  const [semaphore, locks] = await place.join(permits);
  return { ...place, semaphore, locks };
}

it('gives out so many permits and no more, and the next one when one comes back', async () => {
  const { semaphore, queued, leases, queue } = await open(2);
  const first = await semaphore.acquire();
  const second = await semaphore.acquire();
  expect(first).toMatchObject({ key: 'k', permits: 1, isHeld: true });
  let isGranted = false;
  const third = semaphore.acquire().finally(() => (isGranted = true));
  await queued(1);
  expect(await semaphore.tryAcquire()).toBeNull();
  expect(isGranted).toBe(false);

  await first.release();
  await using permit = await third;
  expect(permit.isHeld).toBe(true);
  expect(await leases()).toHaveLength(2);
  expect(await queue()).toEqual([]);
  await second.release();
});

it('gives a permit back by release, once, however often that is called', async () => {
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

it("writes the nodes of Curator's InterProcessSemaphoreV2, and data that say who it is", async () => {
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

it('grants in the order of arrival, however many each one wants', async () => {
  const { semaphore, queued, join } = await open(3);
  const [others] = await join(3);
  const holder = await semaphore.acquire({ take: 3 });
  const granted: number[] = [];
  const waiting: Promise<void>[] = [];
  for (const [index, permits] of [3, 1, 2, 1, 3, 2].entries()) {
    const from = index % 2 === 0 ? others : semaphore;
    waiting.push(
      from.withPermit({ take: permits }, async (permit) => {
        expect(permit.permits).toBe(permits);
        granted.push(index);
        await sleep(1);
      }),
    );
    await queued(waiting.length);
  }
  await holder.release();
  await Promise.all(waiting);
  expect(granted).toEqual([0, 1, 2, 3, 4, 5]);
});

it('does not let a call for one permit overtake a call for more than are free', async () => {
  const { semaphore, leased, queued, locks } = await open(2);
  const one = await semaphore.acquire();
  let isGranted = false;
  const two = semaphore.acquire({ take: 2 });
  await leased(3);
  const next = semaphore.acquire().finally(() => (isGranted = true));
  await queued(2);
  expect(await semaphore.tryAcquire()).toBeNull();
  expect(isGranted).toBe(false);
  expect(locks.counts).toEqual({ held: 1, waiting: 2 });
  await one.release();
  const both = await two;
  expect(isGranted).toBe(false);
  await both.release();
  await (await next).release();
});

it('leaves nothing when a wait times out, in the queue or at its head', async () => {
  const { semaphore, queued, leased, empty } = await open(2);
  const holder = await semaphore.acquire();
  const head = semaphore.acquire({ take: 2, timeoutMs: 1_500 }).catch((error: unknown) => error);
  await leased(3);
  await expect(semaphore.acquire({ timeoutMs: 1_000 })).rejects.toThrow(LockTimeoutError);
  const refusal = await head;
  expect(refusal).toBeInstanceOf(LockTimeoutError);
  expect(refusal).toMatchObject({ key: 'k', mode: 'permit', timeoutMs: 1_500 });
  expect(String(refusal)).toContain('The semaphore "k" did not have enough permits free');
  await queued(0);
  await leased(1);
  await holder.release();
  await empty();
});

it('leaves nothing when a wait is aborted, and lets the next one have its turn', async () => {
  const { semaphore, leased, queued, empty } = await open(2);
  const holder = await semaphore.acquire();
  const controller = new AbortController();
  const head = semaphore.acquire({ take: 2, signal: controller.signal });
  await leased(3);
  const next = semaphore.acquire();
  await queued(2);
  controller.abort(new Error('enough'));
  await expect(head).rejects.toThrow(LockAbortedError);
  await expect(head).rejects.toThrow('Waiting for the semaphore "k" was aborted');
  const permit = await next;
  await leased(2);
  await permit.release();
  await holder.release();
  await empty();

  const aborted = semaphore.acquire({ signal: controller.signal });
  await expect(aborted).rejects.toThrow(LockAbortedError);
  await empty();
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

it('takes permits of its own for a nested call, which waits when none are left', async () => {
  const { semaphore } = await open(2);
  await semaphore.withPermit(async () => {
    await semaphore.withPermit(async () => {
      expect(await semaphore.tryAcquire()).toBeNull();
      const waiting = semaphore.acquire({ timeoutMs: 1_000 });
      await expect(waiting).rejects.toThrow(LockTimeoutError);
    });
  });
});

it('writes nothing when it tries for permits that are not free, or that others wait for', async () => {
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

  // All are free, and another client is about to take some.
  const queue = `${directory}/locks/_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lock-`;
  const before = await inspector.create(queue, '', 'ephemeralSequential');
  expect(await trying.tryAcquire()).toBeNull();
  await inspector.delete(before);
  expect((await proxy.requests()).create).toBe(0);

  await using permit = await trying.tryAcquire({ take: 2 });
  expect(permit?.isHeld).toBe(true);
});

it('finds the next permit free right after a grant', async () => {
  const { semaphore, join } = await open(20);
  const [other] = await join(20);
  const held: (Permit | null)[] = [];
  for (let taken = 0; taken < 20; taken++) {
    held.push(await (taken % 2 ? other : semaphore).tryAcquire());
  }
  expect(held.every((permit) => permit?.isHeld)).toBe(true);
  expect(await other.tryAcquire()).toBeNull();
  for (const permit of held) await permit?.release();
});

it('never gives out more than there are to many that try at once', async () => {
  const { semaphore, queued, leased } = await open(3);
  const tries = await Promise.all(Array.from({ length: 20 }, () => semaphore.tryAcquire()));
  const granted = tries.filter((permit) => permit !== null);
  expect(granted.length).toBeGreaterThan(0);
  expect(granted.length).toBeLessThanOrEqual(3);
  await queued(0);
  await leased(granted.length);
  for (const permit of granted) await permit.release();
});

it('works on where its empty directories have vanished', async () => {
  const { semaphore, inspector, directory, root } = await open(1);
  for (const gone of [`${directory}/locks`, `${directory}/leases`, root]) {
    await semaphore.withPermit(() => undefined);
    await inspector.deleteTree(gone);
  }
  await semaphore.withPermit((permit) => expect(permit.isHeld).toBe(true));
});

it('needs an answer from ZooKeeper, and says so', async () => {
  const { join } = await openSemaphorePlace();
  const proxy = await openProxy();
  const options = { servers: proxy.connectString, connectTimeoutMs: 2_000 };
  const [semaphore, locks] = await join(1, options);
  await cutOff(proxy, locks);
  for (const asking of [
    () => semaphore.acquire({ timeoutMs: 100 }),
    () => semaphore.tryAcquire(),
    () => semaphore.inspect(),
  ]) {
    await expect(asking()).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
  }
  await proxy.accept();
});
