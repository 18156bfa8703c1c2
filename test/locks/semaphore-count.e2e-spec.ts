import { expect, it, onTestFinished } from 'vitest';
import { LockTimeoutError, SharedCountError } from '../../libs/zk-locks/src/lock-errors.js';
import type { Semaphore } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks, ownRoot } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function open(seed: number) {
  const place = await openSemaphorePlace();
  const home = uniqueRoot();
  onTestFinished(() => place.inspector.deleteTree(home));
  const sharedCount = `${home}/counts/k`;
  const join = async (servers?: string): Promise<Semaphore> => {
    const locks = await openLocks({ root: place.root, ...(servers && { servers }) });
    return locks.semaphore('k', { permits: { sharedCount, seed } });
  };
  const written = async (): Promise<Buffer> => (await place.inspector.get(sharedCount)).data;
  return { ...place, sharedCount, home, join, written, semaphore: await join(), seed };
}

it('creates the count with its seed, for good, when somebody first wants a permit', async () => {
  const { semaphore, join, inspector, sharedCount, home, written } = await open(2);
  expect(await semaphore.permits()).toBe(2);
  expect(await semaphore.tryAcquire({ permits: 3 })).toBeNull();
  expect(await inspector.exists(home)).toBeUndefined();

  await using _permit = await semaphore.acquire();
  expect(await written()).toEqual(Buffer.from([0, 0, 0, 2]));
  for (const path of [home, `${home}/counts`, sharedCount]) {
    // Neither ephemeral nor a container, whose owner would be other numbers.
    expect((await inspector.exists(path))?.ephemeralOwner).toBe('0');
  }
  const other = await join();
  await using _second = await other.acquire();
  expect(await other.tryAcquire()).toBeNull();
});

it('takes the number that is there for its own, and not the seed', async () => {
  const { semaphore, inspector, home, sharedCount } = await open(1);
  await inspector.create(home);
  await inspector.create(`${home}/counts`);
  await inspector.create(sharedCount, Buffer.from([0, 0, 0, 3]));
  expect(await semaphore.permits()).toBe(3);
  await using _permit = await semaphore.acquire({ permits: 3 });
  expect(await semaphore.tryAcquire()).toBeNull();
});

it('lets in who waits, when the count is raised', async () => {
  const { semaphore, join, leased, queued, written } = await open(1);
  const other = await join();
  const holder = await semaphore.acquire();
  const waiting = other.acquire({ permits: 3 });
  await leased(4);
  const next = semaphore.acquire();
  await queued(2);
  await other.setPermits(4);
  expect(await written()).toEqual(Buffer.from([0, 0, 0, 4]));
  expect(await semaphore.permits()).toBe(4);
  const three = await waiting;
  await leased(5);
  await semaphore.setPermits(5);
  for (const permit of [holder, three, await next]) await permit.release();
});

it('takes nothing from holders when it is lowered, and lets nobody in until enough are back', async () => {
  const { semaphore, join, leased } = await open(4);
  const other = await join();
  const held = [];
  for (let taken = 0; taken < 4; taken++) held.push(await semaphore.acquire());
  await other.setPermits(2);
  expect(held.every((permit) => permit.isHeld)).toBe(true);
  let isGranted = false;
  const waiting = other.acquire().then((permit) => {
    isGranted = true;
    return permit;
  });
  await leased(5);
  for (const permit of held.slice(0, 2)) {
    await permit.release();
    expect(await semaphore.tryAcquire()).toBeNull();
    await expect(semaphore.acquire({ timeoutMs: 1_000 })).rejects.toThrow(LockTimeoutError);
    expect(isGranted).toBe(false);
  }
  await held[2]?.release();
  await (await waiting).release();
  await held[3]?.release();
});

it('lets nobody in who comes after it was lowered', async () => {
  const { semaphore, join } = await open(3);
  const others = [await join(), await join()];
  await semaphore.withPermit(() => undefined);
  for (let round = 0; round < 10; round++) {
    await semaphore.setPermits(0);
    for (const other of others) {
      const refused = other.acquire({ timeoutMs: 60 }).catch((error: unknown) => error);
      expect(await other.tryAcquire()).toBeNull();
      expect(await refused).toMatchObject({
        code: expect.stringMatching(/TIMEOUT|UNAVAILABLE/) as string,
      });
    }
    await others[round % 2]!.setPermits(2);
    await (await semaphore.acquire({ permits: 2 })).release();
  }
});

it('waits for more permits than there are at present', async () => {
  const { semaphore, join, leased } = await open(0);
  const waiting = semaphore.acquire({ permits: 2 });
  await leased(2);
  await (await join()).setPermits(1);
  await expect(semaphore.acquire({ timeoutMs: 1_000 })).rejects.toThrow(LockTimeoutError);
  await (await join()).setPermits(2);
  await (await waiting).release();
});

it('is created again when somebody deletes the count while permits are waited for', async () => {
  const { semaphore, inspector, sharedCount, leased, written } = await open(2);
  await semaphore.setPermits(1);
  const holder = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await leased(2);
  await inspector.delete(sharedCount);
  await (await waiting).release();
  expect(await written()).toEqual(Buffer.from([0, 0, 0, 2]));
  await holder.release();
});

it('is heard of although the connection was away when it changed', async () => {
  const { semaphore, join, leased } = await open(1);
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const other = await join(proxy.connectString);
  const holder = await semaphore.acquire();
  const waiting = other.acquire();
  await leased(2);
  await proxy.refuse();
  await proxy.cut();
  await waitFor(async () => (await proxy.connections()) === 0, { what: 'the connection to end' });
  await semaphore.setPermits(2);
  await proxy.accept();
  await (await waiting).release();
  await holder.release();
});

it('is refused, by its path, where the znode holds something else; setPermits puts it right', async () => {
  const { semaphore, inspector, sharedCount, empty, leased } = await open(1);
  const holder = await semaphore.acquire();
  const waiting = semaphore.acquire().catch((error: unknown) => error);
  await leased(2);
  await inspector.set(sharedCount, '12');
  expect(await waiting).toBeInstanceOf(SharedCountError);
  for (const asking of [
    () => semaphore.acquire({ timeoutMs: 5_000 }),
    () => semaphore.tryAcquire(),
    () => semaphore.permits(),
    () => semaphore.inspect(),
  ]) {
    await expect(asking()).rejects.toMatchObject({
      code: 'SHARED_COUNT_MALFORMED',
      path: sharedCount,
      message: expect.stringContaining(`${sharedCount} is no shared count`) as string,
    });
  }
  await semaphore.setPermits(1);
  expect(await semaphore.permits()).toBe(1);
  await holder.release();
  await empty();
});

it('lies below the chroot of the connect string, and not below the root', async () => {
  const { inspector } = await open(1);
  const chroot = uniqueRoot();
  await inspector.create(chroot);
  onTestFinished(() => inspector.deleteTree(chroot));
  const locks = await openLocks({ servers: `${sharedServer().connectString}${chroot}` });
  const semaphore = locks.semaphore('k', { permits: { sharedCount: '/gpu', seed: 7 } });
  await semaphore.withPermit(() => undefined);
  expect((await inspector.get(`${chroot}/gpu`)).data).toEqual(Buffer.from([0, 0, 0, 7]));
});

it('has one number for all who set it for the first time together', async () => {
  const { join } = await open(1);
  const semaphores = await Promise.all([join(), join(), join()]);
  await Promise.all(semaphores.map((semaphore, index) => semaphore.setPermits(index + 10)));
  const seen = await Promise.all(semaphores.map((semaphore) => semaphore.permits()));
  expect(new Set(seen).size).toBe(1);
});

it('cannot be set where the number is fixed, nor to what is no number', async () => {
  const { semaphore, root } = await open(1);
  const fixed = (await openLocks({ root })).semaphore('k', { permits: 2 });
  expect(await fixed.permits()).toBe(2);
  await expect(fixed.setPermits(3)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  await expect(fixed.setPermits(3)).rejects.toThrow('sharedCount');
  for (const permits of [-1, 1.5, 2 ** 31, Number.NaN, '3']) {
    await expect(semaphore.setPermits(permits as number)).rejects.toThrow('`permits`');
  }
});

it.each(['', '/count', '/k/leases', '/k/leases/count'])(
  'is refused among the keys of locks: root%s',
  async (below) => {
    const { root } = await open(1);
    const locks = await openLocks({ root });
    const permits = { sharedCount: root + below, seed: 1 };
    expect(() => locks.semaphore('k', { permits })).toThrow('outside of the `root` option');
  },
);

it('may be kept where no lock of ours has ever been', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const sharedCount = uniqueRoot();
  const semaphore = locks.semaphore('k', { permits: { sharedCount, seed: 1 } });
  await semaphore.setPermits(6);
  expect(await semaphore.permits()).toBe(6);
  await using inspected = await semaphore.acquire({ permits: 6 });
  expect(inspected.isHeld).toBe(true);
});
