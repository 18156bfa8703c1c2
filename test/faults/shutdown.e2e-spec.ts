import { expect, it } from 'vitest';
import { openWorker } from '../support/locks.js';
import { openPlace } from '../support/place.js';

async function open(shutdownGraceMs: number) {
  const place = await openPlace();
  return { ...place, worker: await openWorker({ root: place.root, shutdownGraceMs }) };
}

it('rejects waiters, gives the holder its grace, and leaves no node when it is told to end', async () => {
  // Longer than the test, so that the shutdown ends because the holder has finished.
  const { worker, queue, queued } = await open(3_600_000);
  const held = await worker.acquire('k');
  const waiting = worker.acquire('k').catch((error: unknown) => error);
  await queued(2);

  worker.signal('SIGTERM');
  expect(await waiting).toMatchObject({ code: 'ZK_CLOSED' });
  expect(await worker.inspect(held.lock)).toEqual({ isHeld: true, aborted: false });
  const refused = await worker.acquire('other').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'ZK_CLOSED' });
  expect(worker.hasExited).toBe(false);

  await worker.release(held.lock).catch(() => undefined);
  await worker.ended;
  expect(await queue()).toEqual([]);
});

it('takes the lock away from a holder that does not finish within its grace period, and exits', async () => {
  const { worker, queue } = await open(300);
  const held = await worker.acquire('k');
  worker.signal('SIGTERM');
  expect(await worker.loss(held.lock)).toMatchObject({ reason: 'service-closed' });
  await worker.ended;
  expect(await queue()).toEqual([]);
});
