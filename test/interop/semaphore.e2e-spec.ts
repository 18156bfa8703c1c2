import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SemaphoreOptions } from 'nestjs-zk-lock';
import { openLocks, openWorker } from '../support/locks.js';
import { PermitLog } from '../support/permit-log.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import type { Partner } from './support/partner.js';
import { startCurator } from './support/start.js';

let curator: Partner;

beforeAll(async () => {
  curator = await startCurator(sharedServer().connectString);
});
afterAll(() => curator.stop());

async function openCount(seed: number) {
  const place = await openSemaphorePlace();
  const sharedCount = uniqueRoot();
  onTestFinished(() => place.inspector.deleteTree(sharedCount));
  return { ...place, count: { sharedCount, seed } };
}

describe("Curator's InterProcessSemaphoreV2", () => {
  it('never grants more permits in both languages together than there are', async () => {
    const { root, directory, queued, empty } = await openSemaphorePlace();
    const of = 4;
    const log = PermitLog.create();
    const worker = await openWorker({ root });
    const starter = (await openLocks({ root })).semaphore('k', { permits: of });
    // No call begins before all have been queued.
    const gate = await starter.acquire({ take: 4 });
    const theirs = curator.occupy(directory, of, { file: log.path, threads: 6, times: 6 });
    const tasks = [1, 3, 1, 2, 4, 1];
    const inRounds = async (): Promise<void> => {
      for (let round = 0; round < 6; round++) await worker.tell('occupy', 'k', of, log.path, tasks);
    };
    const ours = inRounds();
    await queued(12);
    await gate.release();
    await Promise.all([ours, theirs]);

    expect(log.grants).toBe(72);
    // One of our calls takes all four permits.
    expect(log.most).toBe(4);
    // Both sides take turns: all twelve callers were in the queue before the first grant. When one
    // side gets a permit for the seventh time, it has queued up again behind all six callers of the
    // other side. At most three of these still have a permit, and may not have logged it yet.
    for (const side of ['ours', 'curator'])
      expect(log.othersBefore(side, 7)).toBeGreaterThanOrEqual(3);
    await empty();
  });

  it('grants permits to waiters of both languages in the order of their arrival', async () => {
    const { root, directory, queued } = await openSemaphorePlace();
    const of = 1;
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: of });
    const granted: number[] = [];
    const join = async (index: number): Promise<{ release(): Promise<void> }> => {
      const permit = await (index % 2 === 0
        ? semaphore.acquire()
        : curator.acquirePermits(directory, of));
      granted.push(index);
      return permit;
    };
    const holder = await curator.acquirePermits(directory, of);
    const waiters: ReturnType<typeof join>[] = [];
    for (let index = 0; index < 8; index++) {
      waiters.push(join(index));
      await queued(waiters.length);
    }
    await holder.release();
    for (const [index, waiter] of waiters.entries()) {
      const permit = await waiter;
      expect(granted).toHaveLength(index + 1);
      await permit.release();
    }
    expect(granted).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe.each<
  [string, (count: { sharedCount: string; seed: number }) => SemaphoreOptions['permits']]
>([
  ['a fixed number', ({ seed }) => seed],
  ['a SharedCount', (count) => count],
])("Curator's InterProcessSemaphoreV2 with %s", (_, permitsOf) => {
  it('counts their permits as we do ours, and they ours', async () => {
    const { root, directory, count, leases, empty } = await openCount(3);
    const of = permitsOf(count);
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: of });
    const ours = await semaphore.acquire({ take: 2 });
    expect(await curator.tryPermits(directory, of, 2)).toBeNull();
    const theirs = await curator.tryPermits(directory, of);
    expect(theirs).not.toBeNull();
    expect(await semaphore.tryAcquire()).toBeNull();
    expect(await curator.tryPermits(directory, of)).toBeNull();
    expect((await curator.leases(directory)) as string[]).toHaveLength(3);

    expect(await semaphore.inspect()).toMatchObject({
      permits: 3,
      holders: [
        { holder: { pid: process.pid, permits: 2 } },
        { holder: { pid: process.pid, permits: 2 } },
        { holder: undefined },
      ],
      waiters: [],
      total: 3,
    });
    await theirs?.release();
    expect(await leases()).toHaveLength(2);
    await using third = await semaphore.tryAcquire();
    expect(third?.isHeld).toBe(true);
    await ours.release();
    const two = await curator.tryPermits(directory, of, 2);
    await two?.release();
    await third?.release();
    await empty();
  });

  it('shows its waiters as waiting, not as holding', async () => {
    const { root, directory, count, leased } = await openCount(1);
    const of = permitsOf(count);
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: of });
    const ours = await semaphore.acquire();
    const theirs = curator.acquirePermits(directory, of);
    await leased(2);
    expect(await semaphore.inspect()).toMatchObject({
      holders: [{ holder: { pid: process.pid } }],
      waiters: [{ holder: undefined }],
      total: 2,
    });
    await ours.release();
    await (await theirs).release();
  });
});

describe("Curator's InterProcessSemaphoreV2, which does not know the number of permits of others", () => {
  it('continues with any number after ours has set its own', async () => {
    const { root, directory, inspector, empty } = await openSemaphorePlace();
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: 2 });
    const ours = await semaphore.acquire();
    expect((await inspector.get(`${directory}/leases`)).data.toString()).toBe('2');
    const theirs = await curator.acquirePermits(directory, 3);
    const more = await curator.acquirePermits(directory, 3);
    expect(await curator.tryPermits(directory, 3)).toBeNull();
    for (const permit of [ours, theirs, more]) await permit.release();
    await empty();
  });

  it('leaves it to our processes to agree if it has created the directory', async () => {
    const { directory, inspector, join, empty } = await openSemaphorePlace();
    const theirs = await curator.acquirePermits(directory, 3);
    const [two] = await join(2);
    const [three] = await join(3);
    const permit = await two.acquire();
    await expect(three.acquire()).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
    expect((await inspector.get(`${directory}/leases`)).data).toHaveLength(0);
    for (const held of [permit, theirs]) await held.release();
    await empty();
  });
});

describe("Curator's SharedCount", () => {
  it('is read and written by both', async () => {
    const { root, count, inspector } = await openCount(3);
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: count });
    expect(await curator.sharedCount(count)).toBe(3);
    for (const [ours, theirs] of [
      [5, 1_000],
      [0, 0x7fff_ffff],
    ] as const) {
      await semaphore.setPermits(ours);
      expect(await curator.sharedCount(count)).toBe(ours);
      await curator.setSharedCount(count, theirs);
      expect(await semaphore.permits()).toBe(theirs);
    }
    await inspector.delete(count.sharedCount);
    await semaphore.setPermits(2);
    expect(await curator.sharedCount({ ...count, seed: 9 })).toBe(2);
  });

  it('lets our waiter in when they raise it, and theirs when we do', async () => {
    const { root, directory, count, leased } = await openCount(1);
    const semaphore = (await openLocks({ root })).semaphore('k', { permits: count });
    const first = await semaphore.acquire();
    const toUs = semaphore.acquire();
    await leased(2);
    await curator.setSharedCount(count, 2);
    const second = await toUs;
    const toThem = curator.acquirePermits(directory, count);
    await leased(3);
    await semaphore.setPermits(3);
    for (const permits of [first, second, await toThem]) await permits.release();
  });
});
