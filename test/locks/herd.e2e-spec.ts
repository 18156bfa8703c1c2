import { describe, expect, it } from 'vitest';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import type { Permit } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { openProxy } from '../support/open-proxy.js';
import { openBehindProxy } from '../support/place.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

/**
 * Waits for a number of watches, on data and on children, of all sessions. No answer shows that it
 * is reached: a watch on a new node is set after the grant, and those of a closed session are
 * removed after the answer to the close.
 */
async function watched(count: number): Promise<void> {
  const watches = async (): Promise<number> => {
    const answer = await sharedServer().fourLetterWord('mntr');
    return Number(/^zk_watch_count\t(\d+)$/m.exec(answer)?.[1]);
  };
  await waitFor(async () => (await watches()) === count, { what: `${count} watches` });
}

describe('a lock', () => {
  it('wakes one waiting writer of fifty at a release, with two watches each', async () => {
    const { proxy, locks } = await openBehindProxy();
    await watched(0);
    const holder = await locks.acquire('k');
    const granted: Lock[] = [];
    const waiting = Array.from({ length: 50 }, async () => {
      granted.push(await locks.acquire('k'));
    });
    // Each call watches its own node and the previous one. Within one session, that is one watch
    // per node.
    await watched(51);

    await proxy.resetCounters();
    await holder.release();
    await waitFor(() => granted.length === 1, { what: 'the first waiter to be granted' });
    expect(await proxy.notifications()).toBe(1);
    // Of the previous nodes, this process has seen the last one deleted.
    const requests = await proxy.requests();
    expect(requests).toMatchObject({ delete: 1, getChildren: 0 });
    // On a slow machine, it reads its own node again, because its news are old.
    expect(requests.getData).toBeLessThanOrEqual(1);
    await watched(50);
    expect(locks.counts).toEqual({ held: 1, waiting: 49 });

    for (let next = 0; next < 50; next++) {
      await (await waitFor(() => granted[next], { what: `waiter ${next}` })).release();
    }
    await Promise.all(waiting);
    await watched(0);
  });
});

describe('a lock that several processes wait for', () => {
  /** Processes queue up one after the other, then one behind a proxy, and another one. */
  async function queueUp(processes: number) {
    const { proxy, locks, queued, open } = await openBehindProxy();
    const ahead: Promise<Lock>[] = [];
    while (ahead.length < processes) {
      ahead.push((await open()).acquire('k'));
      await queued(ahead.length);
    }
    const waiting = locks.acquire('k');
    await queued(processes + 1);
    const behind = (await open()).acquire('k');
    await queued(processes + 2);
    const lists = async (): Promise<number> => (await proxy.requests()).getChildren;
    await waitFor(async () => (await lists()) === 2, { what: 'lists behind creation and watch' });
    // It watches its own node and the two previous ones. The server answers these reads in order.
    await waitFor(async () => (await proxy.requests()).getData >= 3, { what: 'its watches' });
    await proxy.resetCounters();
    return { proxy, locks, ahead, waiting, behind, lists };
  }

  it('passes to the next process without a request if it has seen all others leave', async () => {
    const { proxy, ahead, waiting, behind, lists } = await queueUp(2);
    for (const holder of ahead) await (await holder).release();
    const lock = await waiting;
    expect(await lists()).toBe(0);
    expect(await proxy.notifications()).toBe(2);
    await lock.release();
    await (await behind).release();
  });

  it('passes to the next process without a request if it listed the queue when the previous one got the lock', async () => {
    const { proxy, locks, ahead, waiting, behind, lists } = await queueUp(3);
    const [first, second, third] = ahead;
    await (await first)?.release();
    await (await second)?.release();
    await waitFor(async () => (await lists()) === 1, { what: 'the list when two have gone' });
    const held = await third;
    // An answer to a later request: the list has been read by then.
    await locks.inspect('k');
    await proxy.resetCounters();
    await held?.release();
    const lock = await waiting;
    expect(await lists()).toBe(0);
    expect(await proxy.notifications()).toBe(1);
    await lock.release();
    await (await behind).release();
  });
});

describe('a semaphore', () => {
  /** Three permits, with one session behind a proxy and one without. */
  async function open() {
    const place = await openSemaphorePlace();
    await watched(0);
    const proxy = await openProxy();
    const [others] = await place.join(3);
    const [semaphore, locks] = await place.join(3, { servers: proxy.connectString });
    return { ...place, proxy, others, semaphore, locks };
  }

  it('wakes one of thirty waiters at a release, and lets only the first in the queue read leases', async () => {
    const { proxy, others, semaphore, locks, leased, queued, leases } = await open();
    const held: Permit[] = [];
    for (let taken = 0; taken < 3; taken++) held.push(await others.acquire());
    await watched(3);
    const granted: Permit[] = [];
    const waiting = Array.from({ length: 30 }, async () => {
      granted.push(await semaphore.acquire());
    });
    await queued(30);
    // Only the first one in the queue already has its lease.
    await leased(4);
    // Each call watches its own place, and all but the first watch the previous one, for which the
    // session has one watch. The first watches the leases.
    await watched(3 + 31);

    await proxy.resetCounters();
    await held.pop()?.release();
    await waitFor(() => granted.length === 1, { what: 'the first of them' });
    await leased(4);
    // One less for the deleted place, one less for the holder, and one more for the granted lease.
    await watched(3 + 30);
    // The lease that was returned, and the place that the first call has left and the second one
    // watched.
    expect(await proxy.notifications()).toBe(2);
    expect(await proxy.requests()).toMatchObject({ create: 1, delete: 1 });
    expect(locks.counts).toEqual({ held: 1, waiting: 29 });
    expect(await leases()).toHaveLength(4);

    for (const permit of held) await permit.release();
    for (let next = 0; next < 30; next++) {
      await (await waitFor(() => granted[next], { what: `waiter ${next}` })).release();
    }
    await Promise.all(waiting);
    await watched(0);
  });
});
