import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { LockRevokedError, LockServiceClosedError } from '../../libs/zk-locks/src/lock-errors.js';
import { openPlace } from '../interop/support/place.js';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

it('tells the holder, who gives the lock back when it likes', async () => {
  const root = ownRoot();
  const [locks, others] = [await openLocks({ root }), await openLocks({ root })];
  const lock = await locks.acquire('k');
  const told = once(lock.revoked, 'abort');

  expect(await others.revoke('k')).toBe(1);
  await told;
  expect(lock.revoked.reason).toBeInstanceOf(LockRevokedError);
  expect(lock.revoked.reason).toMatchObject({ code: 'LOCK_REVOKED', key: 'k', mode: 'write' });
  expect(lock.isHeld).toBe(true);
  expect(lock.signal.aborted).toBe(false);
  expect(await others.tryAcquire('k')).toBeNull();

  await lock.release();
  await (await others.acquire('k')).release();
});

it('goes on saying who holds the lock, and since when it was asked for', async () => {
  const locks = await openLocks({ root: ownRoot(), application: 'billing' });
  const lock = await locks.acquire('k', { label: 'invoice 7' });
  await locks.revoke('k');
  const { holders } = await locks.inspect('k');
  expect(holders).toMatchObject([
    { holder: { application: 'billing', label: 'invoice 7', pid: process.pid } },
  ]);
  expect(Date.parse(holders[0]!.holder!.revokedAt!)).not.toBeNaN();
  await lock.release();
});

it('asks all readers, those who share a holding with them, and nobody who waits', async () => {
  const root = ownRoot();
  const [locks, others] = [await openLocks({ root }), await openLocks({ root })];
  const readers = [
    await locks.acquire('k', { mode: 'read' }),
    await others.acquire('k', { mode: 'read' }),
  ];
  const waiting = locks.acquire('k');
  await waitFor(async () => (await locks.inspect('k')).total === 3, { what: 'the writer' });
  expect(await locks.revoke('k')).toBe(2);
  await waitFor(() => readers.every(({ revoked }) => revoked.aborted), { what: 'the request' });
  for (const reader of readers) await reader.release();
  const writer = await waiting;
  expect(writer.revoked.aborted).toBe(false);

  // Each holding is asked for by itself.
  expect(await others.revoke('k')).toBe(1);
  await waitFor(() => writer.revoked.aborted, { what: 'the request' });
  await writer.release();
});

it('is heard at the grant by whom somebody has asked for it while it waited', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  const inspector = await openInspector();
  const holder = await locks.acquire('k');
  const waiting = locks.acquire('k');
  const waiter = await waitFor(async () => (await locks.inspect('k')).waiters[0], {
    what: 'the waiter to queue up',
  });
  // As Curator's Revoker does, which is told a path, whoever that belongs to.
  await inspector.set(`${root}/k/${waiter.node}`, '__REVOKE__');
  await holder.release();
  const lock = await waiting;
  await waitFor(() => lock.revoked.aborted, { what: 'the request' });
  await lock.release();
});

it('is heard by nested locks and by any of several that are held together', async () => {
  const locks = await openLocks({ root: ownRoot() });
  await locks.withLock('k', async (outer) => {
    await using inner = await locks.acquire('k', { mode: 'read' });
    await locks.revoke('k');
    await waitFor(() => inner.revoked.aborted && outer.revoked.aborted, { what: 'the request' });
  });
  await locks.withLocks(['a', 'b'], {}, async (both) => {
    await locks.revoke('b');
    await waitFor(() => both.revoked.aborted, { what: 'the request' });
    expect(both.revoked.reason).toMatchObject({ key: 'b' });
    expect(locks.currentLock('a')!.revoked.aborted).toBe(true);
    expect(both.locks[0]!.revoked.aborted).toBe(false);
  });
});

it('asks nobody where nobody holds the lock, and leaves nothing there', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  expect(await locks.revoke('k')).toBe(0);
  expect(await (await openInspector()).exists(root)).toBeUndefined();
});

it('is no loss, whatever else is written into the node', async () => {
  const { root, directory, inspector, queue } = await openPlace();
  const locks = await openLocks({ root });
  const lock = await locks.acquire('k');
  const node = `${directory}/${(await queue())[0]!}`;
  for (const data of ['', 'x', '{', '[]', '{"host":1}', '\u0000'.repeat(1_000)])
    await inspector.set(node, data);
  await locks.inspect('k');
  expect(lock.revoked.aborted).toBe(false);
  expect(lock.isHeld).toBe(true);
  await inspector.set(node, '__REVOKE__');
  await waitFor(() => lock.revoked.aborted, { what: 'the request' });
  await lock.release();
});

it('is nothing that a service which closes asks for', async () => {
  const proxy = await FaultProxy.start(sharedServer().port);
  onTestFinished(() => proxy.stop());
  const locks = await openLocks({ root: ownRoot(), servers: proxy.connectString });
  const lock = await locks.acquire('k');
  const permits = { sharedCount: `${uniqueRoot()}/count`, seed: 1 };
  await proxy.resetCounters();
  const closing = locks.close({ graceMs: 60_000 });
  await expect(locks.revoke('k')).rejects.toThrow(LockServiceClosedError);
  await expect(locks.semaphore('s', { permits }).setPermits(2)).rejects.toThrow(
    LockServiceClosedError,
  );
  await lock.release();
  await closing;
  // Whatever was asked for has been answered.
  expect(await proxy.requests()).toMatchObject({
    getChildren: 0,
    setData: 0,
    create: 0,
  });
});
