import { expect, it } from 'vitest';
import { openLocks } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';

it.each([
  ['five bytes', Buffer.alloc(5)],
  ['none', Buffer.alloc(0)],
  ['text', Buffer.from('three')],
  ['1 MB', Buffer.alloc(1_000_000)],
])('a shared count of %s is reported, and takes nothing from holders', async (_what, data) => {
  const { root, inspector, leased, empty } = await openSemaphorePlace();
  const path = `${root}-count`;
  const locks = await openLocks({ root });
  const semaphore = locks.semaphore('k', { permits: { sharedCount: path, seed: 1 } });
  const permit = await semaphore.acquire();
  const waiting = semaphore.acquire({ timeoutMs: 20_000 });
  const refused = expect(waiting).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED', path });
  await leased(2);
  await inspector.set(path, data);
  await refused;
  await expect(semaphore.inspect()).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED' });
  await expect(semaphore.acquire()).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED' });
  permit.assertHeld();
  await permit.release();
  await empty();
  await semaphore.setPermits(1);
  await (await semaphore.acquire()).release();
  await empty();
  await inspector.delete(path);
});
