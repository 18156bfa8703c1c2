import { expect, it, vi } from 'vitest';
import { openWorker } from '../support/locks.js';
import { PermitLog } from '../support/permit-log.js';
import { openSemaphorePlace } from '../support/semaphores.js';

it.each([
  // Fewer at a time would be a mutex.
  { permits: 4, tasks: Array.from({ length: 20 }, () => 1), atLeast: 2 },
  { permits: 5, tasks: [3, 1, 5, 2, 3, 4, 1, 3, 2, 1], atLeast: 5 },
])(
  'lets in three processes under load together, and never more than $permits: $tasks',
  async ({ permits, tasks, atLeast }) => {
    const { root, empty } = await openSemaphorePlace();
    const log = PermitLog.create();
    const workers = await Promise.all(Array.from({ length: 3 }, () => openWorker({ root })));
    await Promise.all(workers.map((worker) => worker.occupy('k', permits, log.path, tasks)));
    expect(log.grants).toBe(3 * tasks.length);
    expect(log.most).toBeLessThanOrEqual(permits);
    expect(log.most).toBeGreaterThanOrEqual(atLeast);
    await empty();
  },
);

it('a turn at the head of the queue passes on within one process without a list of the queue', async () => {
  const { join, empty } = await openSemaphorePlace();
  const [semaphore, locks] = await join(5);
  const lists = vi.spyOn(locks.session, 'list');
  const calls = Array.from({ length: 60 }, () => semaphore.withPermit(() => undefined));
  await Promise.all(calls);
  const ofQueue = lists.mock.calls.filter(([, path]) => path.endsWith('/locks'));
  expect(ofQueue.length).toBeLessThan(10);
  await empty();
});
