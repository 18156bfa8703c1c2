import { expect, it, onTestFinished } from 'vitest';
import type { Permit } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

/** Those on data and those on children, of all sessions. */
async function watchesOnServer(): Promise<number> {
  const answer = await sharedServer().fourLetterWord('mntr');
  return Number(/^zk_watch_count\t(\d+)$/m.exec(answer)?.[1]);
}

/**
 * Waits for a number, since no answer says that it is reached: a watch on a new node is set behind the
 * grant, and those of a closed session go behind the answer to the close.
 */
async function watched(count: number): Promise<void> {
  await waitFor(async () => (await watchesOnServer()) === count, { what: `${count} watches` });
}

it('wakes one of thirty at a release, and has nobody but the head of the queue look at leases', async () => {
  const { root, leased, queued, leases } = await openSemaphorePlace();
  await watched(0);
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const holders = (await openLocks({ root })).semaphore('k', { permits: 3 });
  const locks = await openLocks({ root, servers: proxy.connectString });
  const semaphore = locks.semaphore('k', { permits: 3 });
  const held: Permit[] = [];
  for (let taken = 0; taken < 3; taken++) held.push(await holders.acquire());
  await watched(3);
  const granted: Permit[] = [];
  const waiting = Array.from({ length: 30 }, async () => {
    granted.push(await semaphore.acquire());
  });
  await queued(30);
  // The head has its lease already; nobody else has.
  await leased(4);
  // Each watches its own place, and all but the head the one before it, for which the session has
  // one watch; the head watches the leases.
  await watched(3 + 31);

  await proxy.resetCounters();
  await held.pop()?.release();
  await waitFor(() => granted.length === 1, { what: 'the first of them' });
  await leased(4);
  // One less for the place that is gone, one less of the holder, and one on the lease that was granted.
  await watched(3 + 30);
  // The lease that came back; the place that the first has left, which the second waited for.
  expect(await proxy.notifications()).toBe(2);
  expect(await proxy.requests()).toMatchObject({ create: 1, delete: 1 });
  expect(locks.counts).toEqual({ held: 1, waiting: 29 });
  expect(await leases()).toHaveLength(4);

  for (const permit of held) await permit.release();
  for (let next = 0; next < 30; next++) {
    await waitFor(() => granted[next], { what: `waiter ${next}` });
    await granted[next]?.release();
  }
  await Promise.all(waiting);
  expect(await watchesOnServer()).toBe(0);
});

it('hears nothing of other leases any more, once it has its permits', async () => {
  const { root, leased } = await openSemaphorePlace();
  await watched(0);
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const others = (await openLocks({ root })).semaphore('k', { permits: 3 });
  const locks = await openLocks({ root, servers: proxy.connectString });
  const semaphore = locks.semaphore('k', { permits: 3 });

  const atOnce = await semaphore.acquire();
  const holder = await others.acquire({ permits: 2 });
  await watched(3);
  const waiting = semaphore.acquire();
  await leased(4);
  // Its place in the queue, and the leases: a watch on these that is set behind the release stays.
  await watched(3 + 2);
  await holder.release();
  const later = await waiting;
  await proxy.resetCounters();
  await (await others.acquire()).release();
  expect(await semaphore.permits()).toBe(3);
  await locks.inspect('another');
  expect(await proxy.notifications()).toBe(0);

  await atOnce.release();
  await later.release();
});
