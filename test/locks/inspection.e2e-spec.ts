import { expect, it } from 'vitest';
import { openBehindProxy, openTwo } from '../support/place.js';

it('shows a lock that is free, and leaves no directory for it', async () => {
  const { root, inspector, locks } = await openTwo();
  expect(await locks.inspect('k')).toEqual({ key: 'k', holders: [], waiters: [], total: 0 });
  expect(await locks.list()).toEqual([]);
  expect(await inspector.exists(root)).toBeUndefined();
});

it('reads no more of a long queue than it was asked for', async () => {
  const { locks, queued } = await openTwo();
  const holder = await locks.acquire('k');
  const waiting = Array.from({ length: 30 }, () => locks.acquire('k'));
  await queued(31);
  const { holders, waiters, total } = await locks.inspect('k', { limit: 5 });
  expect([holders.length, waiters.length, total]).toEqual([1, 4, 31]);
  await holder.release();
  for (const next of waiting) await (await next).release();
});

it('looks at nothing, and asks for nothing, once the service closes', async () => {
  const { proxy, locks } = await openBehindProxy();
  await proxy.freeze();
  const closed = { code: 'ZK_CLOSED' };
  const pending = expect(locks.inspect('k')).rejects.toMatchObject(closed);
  const closing = locks.close();
  await pending;
  const semaphore = locks.semaphore('s', { permits: { sharedCount: '/count', seed: 1 } });
  for (const asking of [locks.list(), locks.revoke('k'), semaphore.setPermits(2)]) {
    await expect(asking).rejects.toMatchObject(closed);
  }
  await proxy.thaw();
  await closing;
});
