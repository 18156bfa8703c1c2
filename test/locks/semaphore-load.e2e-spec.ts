import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openLocks, openWorker } from '../support/locks.js';
import { PermitLog } from '../support/permit-log.js';
import { openSemaphorePlace } from '../support/semaphores.js';

it('never lets more in than there are permits, over several processes under load', async () => {
  const { root, empty } = await openSemaphorePlace();
  const log = PermitLog.create();
  const workers = await Promise.all(Array.from({ length: 3 }, () => openWorker({ root })));
  const tasks = Array.from({ length: 20 }, () => 1);

  await Promise.all(workers.map((worker) => worker.occupy('k', 4, log.path, tasks)));

  expect(log.grants).toBe(60);
  expect(log.most).toBeLessThanOrEqual(4);
  // Else it was a mutex.
  expect(log.most).toBeGreaterThan(1);
  await empty();
});

it('serves calls for several permits of five beside each other, and gets stuck on none', async () => {
  const { root, empty } = await openSemaphorePlace();
  const log = PermitLog.create();
  const workers = await Promise.all(Array.from({ length: 3 }, () => openWorker({ root })));
  const tasks = [3, 1, 5, 2, 3, 4, 1, 3, 2, 1];

  await Promise.all(workers.map((worker) => worker.occupy('k', 5, log.path, tasks)));

  expect(log.grants).toBe(30);
  expect(log.most).toBe(5);
  await empty();
});

it('never has two clients that want two of two wait for each other', async () => {
  const { root, empty } = await openSemaphorePlace();
  const managers = [await openLocks({ root }), await openLocks({ root })];
  let inside = 0;
  let rounds = 0;
  await Promise.all(
    managers.map(async (locks) => {
      const semaphore = locks.semaphore('k', { permits: 2 });
      for (let round = 0; round < 50; round++) {
        await semaphore.withPermit({ permits: 2, timeoutMs: 20_000 }, async () => {
          expect(++inside).toBe(1);
          await sleep(0);
          inside--;
          rounds++;
        });
      }
    }),
  );
  expect(rounds).toBe(100);
  await empty();
});
