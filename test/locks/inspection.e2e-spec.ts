import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from 'zk-client/recipes';
import { openBehindProxy, openTwo } from '../support/place.js';

it('shows a lock that is free, and leaves no directory for it', async () => {
  const { root, inspector, locks } = await openTwo();
  expect(await locks.inspect('k')).toEqual({ key: 'k', holders: [], waiters: [], total: 0 });
  expect(await locks.list()).toEqual([]);
  expect(await inspector.exists(root)).toBeUndefined();
});

it('reads only as much of a long queue as requested', async () => {
  const { locks, queued } = await openTwo();
  const holder = await locks.acquire('k');
  const waiting = Array.from({ length: 30 }, () => locks.acquire('k'));
  await queued(31);
  const { holders, waiters, total } = await locks.inspect('k', { limit: 5 });
  expect([holders.length, waiters.length, total]).toEqual([1, 4, 31]);
  await holder.release();
  for (const next of waiting) await (await next).release();
});

it('writes nothing after a call has failed, even if the server was busy', async () => {
  const { root, inspector, others, open, queue } = await openTwo({ client: 'wire' });
  const count = `${root}-count`;
  await inspector.create(count, Buffer.from([0, 0, 0, 1]));
  onTestFinished(() => inspector.delete(count));
  await using lock = await others.acquire('k');
  const [node = ''] = await queue();
  const locks = await open({ client: 'wire', connectTimeoutMs: 2_000 });
  const semaphore = locks.semaphore('s', { permits: { sharedCount: count, seed: 1 } });
  const { client } = locks;
  const calls = [
    locks.revoke('k'),
    locks.breakLock('k', { node, token: lock.fencingToken }),
    semaphore.setPermits(2),
    client.set(count, Buffer.from([0, 0, 0, 3])),
  ];
  let isBusy = true;
  let refused = 0;
  const write = locks.session.write.bind(locks.session);
  const writes: Promise<unknown>[] = [];
  vi.spyOn(locks.session, 'write').mockImplementation((lease, request, path, send, caller) => {
    const written = write(
      lease,
      request,
      path,
      (connection) => {
        if (!isBusy || request === 'heartbeat') return send(connection);
        refused++;
        return Promise.reject(new ZooKeeperError(ReturnCode.throttledOp, request, path));
      },
      caller,
    );
    if (request !== 'heartbeat') writes.push(written);
    return written;
  });
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
  expect(refused).toBeGreaterThan(calls.length);
  isBusy = false;
  // None of the writes was sent again and then accepted.
  const written = await Promise.allSettled(writes);
  expect(written.map(({ status }) => status)).toEqual(written.map(() => 'rejected'));
  expect((await inspector.get(count)).data).toEqual(Buffer.from([0, 0, 0, 1]));
  expect([lock.revoked.aborted, lock.isHeld]).toEqual([false, true]);
});

it('sends no requests once the service closes', async () => {
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
