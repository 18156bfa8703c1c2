import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from 'zk-client/recipes';
import { LockTimeoutError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { openLocks, refusedWithHolders } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

async function open(seed: number) {
  const place = await openSemaphorePlace();
  const home = uniqueRoot();
  onTestFinished(() => place.inspector.deleteTree(home));
  const sharedCount = `${home}/counts/k`;
  const permits = { sharedCount, seed };
  const join = async () => (await place.join(permits))[0];
  const written = async (): Promise<Buffer> => (await place.inspector.get(sharedCount)).data;
  return { ...place, sharedCount, permits, home, join, joinBy: place.join, written };
}

it('creates the count from its seed, permanently, at the first call for a permit', async () => {
  const { join, inspector, sharedCount, home, written } = await open(2);
  const semaphore = await join();
  expect(await semaphore.permits()).toBe(2);
  expect(await semaphore.tryAcquire({ take: 3 })).toBeNull();
  expect(await inspector.exists(home)).toBeUndefined();

  await using _permit = await semaphore.acquire();
  expect(await written()).toEqual(Buffer.from([0, 0, 0, 2]));
  for (const path of [home, `${home}/counts`, sharedCount]) {
    // The node is neither ephemeral nor a container, whose owners would be other numbers.
    expect((await inspector.exists(path))?.ephemeralOwner).toBe('0');
  }
  const other = await join();
  await using _second = await other.acquire();
  expect(await other.tryAcquire()).toBeNull();
});

it('has the number of the last of several calls that overlap, and skips others', async () => {
  const { joinBy, permits } = await open(1);
  const [semaphore, { session }] = await joinBy(permits);
  const set = vi.spyOn(session, 'set');
  await Promise.all([7, 5, 3].map((number) => semaphore.setPermits(number)));
  expect(await semaphore.permits()).toBe(3);
  await Promise.all([2, 6, 1, 5, 4].map((number) => semaphore.setPermits(number)));
  expect(await semaphore.permits()).toBe(4);
  expect(set.mock.calls.length).toBeLessThanOrEqual(3);
});

it('does not undo a later number of another process when the answer to its own is lost', async () => {
  const { join, joinBy, permits } = await open(1);
  const [semaphore, { session }] = await joinBy(permits);
  const other = await join();
  await semaphore.setPermits(2);
  const set = session.set.bind(session);
  vi.spyOn(session, 'set').mockImplementationOnce(async (...request) => {
    await set(...request);
    await other.setPermits(4);
    throw new ZooKeeperError(ReturnCode.connectionLoss, 'set', request[1]);
  });
  await semaphore.setPermits(3);
  expect(await other.permits()).toBe(4);
  await semaphore.setPermits(5);
  expect(await other.permits()).toBe(5);
});

it('does not undo a later number when the answer to the creation of the count is lost', async () => {
  const { join, joinBy, permits, sharedCount } = await open(1);
  const [semaphore, { session }] = await joinBy(permits);
  const other = await join();
  const create = session.create.bind(session);
  vi.spyOn(session, 'create').mockImplementation(async (...request) => {
    const created = await create(...request);
    const [, path] = request;
    if (!path.endsWith(sharedCount)) return created;
    await other.setPermits(4);
    throw new ZooKeeperError(ReturnCode.connectionLoss, 'create', path);
  });
  await semaphore.setPermits(3);
  expect(await other.permits()).toBe(4);
});

it('takes nothing from holders when it is lowered, and grants no further permits until enough are free', async () => {
  const { join, leased } = await open(4);
  const [semaphore, other] = [await join(), await join()];
  const held = [];
  for (let taken = 0; taken < 4; taken++) held.push(await semaphore.acquire());
  await other.setPermits(2);
  expect(held.every((permit) => permit.isHeld)).toBe(true);
  let isGranted = false;
  const waiting = other.acquire().finally(() => (isGranted = true));
  await leased(5);
  for (const permit of held.slice(0, 2)) {
    await permit.release();
    expect(await semaphore.tryAcquire()).toBeNull();
    await refusedWithHolders(() => semaphore.acquire({ timeoutMs: 2_000 }));
    expect(isGranted).toBe(false);
  }
  await held[2]?.release();
  await (await waiting).release();
  await held[3]?.release();
});

it('is read again after a list that a busy server has refused at first', async () => {
  const { joinBy, permits, root, leased } = await open(2);
  const [semaphore] = await joinBy(permits);
  const [other, { session }] = await joinBy(permits);
  await using _held = await semaphore.acquire();
  const directory = `${root}/k/leases`;
  const lease = session.connectedLease!;
  const client = await session.read(lease, 'none', '/', (connected) => Promise.resolve(connected));
  const list = client.list.bind(client);
  let lists = 0;
  vi.spyOn(client, 'list').mockImplementation(async (path, options) => {
    // The first one is sent with the creation of the lease, the second one with the count.
    if (path !== directory || ++lists !== 2) return list(path, options);
    await semaphore.setPermits(1);
    throw new ZooKeeperError(ReturnCode.throttledOp, 'list', path);
  });
  await expect(other.acquire({ timeoutMs: 4_000 })).rejects.toThrow(LockTimeoutError);
  expect(lists).toBeGreaterThan(2);
  await leased(1);
});

it('is below the chroot of the connect string, but not below the root', async () => {
  const { inspector, home } = await open(1);
  await inspector.create(home);
  const locks = await openLocks({ servers: `${sharedServer().connectString}${home}` });
  const semaphore = locks.semaphore('k', { permits: { sharedCount: '/gpu', seed: 7 } });
  await semaphore.withPermit(() => undefined);
  expect((await inspector.get(`${home}/gpu`)).data).toEqual(Buffer.from([0, 0, 0, 7]));
});

it('cannot be set if the number is fixed, nor to a value that is not a count', async () => {
  const { join, joinBy } = await open(1);
  const [fixed] = await joinBy(2);
  expect(await fixed.permits()).toBe(2);
  await expect(fixed.setPermits(3)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  await expect(fixed.setPermits(3)).rejects.toThrow(
    '`permits` must be left unchanged, because they are fixed at 2; got 3. Open the semaphore with { sharedCount',
  );
  const semaphore = await join();
  for (const permits of [-1, 1.5, 2 ** 31, Number.NaN, '3']) {
    await expect(semaphore.setPermits(permits as number)).rejects.toThrow('`permits`');
  }
});

it('is refused if its path is among the keys of locks', async () => {
  const { root, open: openHere } = await open(1);
  const locks = await openHere();
  for (const below of ['', '/count', '/k/leases', '/k/leases/count', '-runs/job']) {
    const permits = { sharedCount: root + below, seed: 1 };
    expect(() => locks.semaphore('k', { permits })).toThrow(
      '`sharedCount` must be outside of the option `root` and of `<root>-runs`, where locks and runs are stored',
    );
  }
});
