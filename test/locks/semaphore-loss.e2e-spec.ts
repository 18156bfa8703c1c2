import { expect, it, vi } from 'vitest';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { cutOff, lossOf, shortSession } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { waitFor } from '../support/wait-for.js';

async function open(permits: number) {
  const place = await openSemaphorePlace();
  const proxy = await openProxy();
  const [semaphore, locks] = await place.join(permits, {
    ...{ ...shortSession, servers: proxy.connectString },
  });
  // The directories exist from here on, so that the next creates are those of queue nodes and leases.
  await semaphore.withPermit(() => undefined);
  const [others] = await place.join(permits);
  return { ...place, proxy, locks, semaphore, others };
}

it('is lost when an operator deletes one of its leases, and gives the others back', async () => {
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

it('tells a holder of its loss before others get in, when it is cut off', async () => {
  const { semaphore, others, proxy, locks } = await open(2);
  const permit = await semaphore.acquire({ take: 2 });
  await cutOff(proxy, locks);
  await using next = await others.acquire({ timeoutMs: 20_000 });
  expect(permit.signal.aborted).toBe(true);
  expect(permit.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' });
  expect(next.isHeld).toBe(true);
  await proxy.accept();
  await waitFor(() => locks.session.isConnected, { what: 'the next session' });
  await (await semaphore.acquire()).release();
});

it('gets its permits on the next session when the first one ends while it waits for a lease', async () => {
  const { semaphore, others, proxy, locks, leased, queued, empty } = await open(2);
  const holder = await others.acquire();
  const waiting = semaphore.acquire({ take: 2, timeoutMs: 25_000 });
  await leased(3);
  await cutOff(proxy, locks);
  // With the session go the leases that it had not got yet, and its place.
  await leased(1);
  await queued(0);
  await (await others.acquire({ timeoutMs: 10_000 })).release();
  await proxy.accept();
  await leased(3);
  await holder.release();
  await (await waiting).release();
  expect(locks.counts).toEqual({ held: 0, waiting: 0 });
  await empty();
});

it('is told of a lease that came back while the connection was away', async () => {
  const { semaphore, others, proxy, locks, leased, empty } = await open(1);
  const holder = await others.acquire();
  const waiting = semaphore.acquire();
  await leased(2);
  await cutOff(proxy, locks);
  await holder.release();
  await proxy.accept();
  await (await waiting).release();
  await empty();
});

it.each([1, 3])('creates %i leases once when an answer to that is lost', async (permits) => {
  const { semaphore, others, proxy, leased, queued, empty } = await open(3);
  const holder = await others.acquire({ take: 3 });
  // Another call before it in the queue, so that its own leases come later than its queue node.
  const before = others.acquire({ take: 3 });
  await queued(1);
  const waiting = semaphore.acquire({ take: permits });
  await queued(2);
  const loss = await proxy.loseNextReply('create');
  await holder.release();
  await (await before).release();
  await loss.happened;
  const permit = await waiting;
  await leased(permits);
  await queued(0);
  await permit.release();
  await empty();
});

it.each([1, 2])(
  'leaves nothing when the wait ends while answers to the creation of %i leases are missing',
  async (permits) => {
    const { semaphore, others, proxy, leases, queued, empty } = await open(2);
    const holder = await others.acquire({ take: 2 });
    const before = others.acquire({ take: 2 });
    await queued(1);
    const controller = new AbortController();
    const waiting = semaphore.acquire({ take: permits, signal: controller.signal });
    await queued(2);
    // Of a lease: it stands in the queue already.
    const loss = await proxy.loseNextReply('create');
    await proxy.refuse();
    await holder.release();
    const last = await before;
    await loss.happened;
    expect((await leases()).length).toBeGreaterThan(2);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    await proxy.accept();
    await last.release();
    await empty();
  },
);

it('queues up anew when an operator deletes its place while it waits for leases', async () => {
  const { semaphore, others, remove, leased, queue, queued, empty } = await open(2);
  const holder = await others.acquire();
  const waiting = semaphore.acquire({ take: 2 });
  await leased(3);
  const next = others.acquire({ take: 2 });
  await queued(2);
  await remove('locks', (await queue())[0]!);
  await queued(2);
  // Now it stands behind, and has no leases for which the other would have to wait.
  await leased(3);
  await holder.release();
  const both = await next;
  await leased(4);
  await both.release();
  await (await waiting).release();
  await empty();
});

it('begins anew when an operator deletes a lease that it has not got yet', async () => {
  const { semaphore, others, remove, leased, leases, empty } = await open(2);
  const holder = await others.acquire();
  const waiting = semaphore.acquire({ take: 2 });
  await leased(3);
  const own = (await leases()).at(-1)!;
  await remove('leases', own);
  await waitFor(async () => !(await leases()).includes(own) && (await leases()).length === 3, {
    what: 'new leases',
  });
  await holder.release();
  const permit = await waiting;
  expect(await leases()).toHaveLength(2);
  await permit.release();
  await empty();
});
