import { expect, it } from 'vitest';
import { lockNodes, openInspector, openWorker, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

async function open(shutdownGraceMs: number) {
  const root = ownRoot();
  const inspector = await openInspector();
  const worker = await openWorker({ root, shutdownGraceMs });
  const nodes = (key: string) => lockNodes(inspector, `${root}/${key}`);
  return { worker, nodes };
}

it('rejects waiters, gives the holder its grace, and leaves no node when it is told to end', async () => {
  const { worker, nodes } = await open(20_000);
  const held = await worker.acquire('k');
  const waiting = worker.acquire('k').catch((error: unknown) => error);
  await waitFor(async () => (await nodes('k')).length === 2, { what: 'the waiter to queue up' });

  worker.signal('SIGTERM');
  expect(await waiting).toMatchObject({ code: 'LOCK_SERVICE_CLOSED' });
  expect(await worker.inspect(held.lock)).toEqual({ isHeld: true, aborted: false });
  const refused = await worker.acquire('other').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'LOCK_SERVICE_CLOSED' });
  expect(worker.hasExited).toBe(false);

  const releasedAt = performance.now();
  await worker.release(held.lock).catch(() => undefined);
  await worker.ended;
  expect(await nodes('k')).toEqual([]);
  expect(performance.now() - releasedAt).toBeLessThan(5_000);
});

it('takes the lock away from a holder that does not finish in its grace, and ends', async () => {
  const { worker, nodes } = await open(300);
  const held = await worker.acquire('k');
  worker.signal('SIGTERM');
  expect(await worker.loss(held.lock)).toMatchObject({ reason: 'service-closed' });
  await worker.ended;
  expect(await nodes('k')).toEqual([]);
});
