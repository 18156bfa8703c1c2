import { expect, it, vi } from 'vitest';
import { LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { lossOf, shortSession } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openSemaphorePlace } from '../support/semaphores.js';

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
