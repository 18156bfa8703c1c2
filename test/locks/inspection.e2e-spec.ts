import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { LockDirectoryError } from '../../libs/zk-locks/src/lock-errors.js';
import { openInspector, openLocks, openWorker, ownRoot, shortSession } from '../support/locks.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

it('shows who holds a lock and who waits for it, in order, over all processes', async () => {
  const root = ownRoot();
  const worker = await openWorker({ ...shortSession, root, application: 'reports' });
  const locks = await openLocks({ root, application: 'billing' });
  const first = await locks.acquire('k', { mode: 'read', label: 'invoice 7' });
  await worker.acquire('k', 'read');
  // It ends with its worker.
  const third = worker.acquire('k', 'write').catch(() => undefined);
  await waitFor(async () => (await locks.inspect('k')).total === 3, { what: 'the writer' });
  const fourth = locks.acquire('k', { mode: 'read' });
  await waitFor(async () => (await locks.inspect('k')).total === 4, { what: 'the last reader' });

  const { key, holders, waiters, total } = await locks.inspect('k', { linearizable: true });
  expect({ key, total }).toEqual({ key: 'k', total: 4 });
  const shown = (contenders: typeof holders): unknown[] =>
    contenders.map(({ mode, holder }) => [mode, holder?.application, holder?.label]);
  expect(shown(holders)).toEqual([
    ['read', 'billing', 'invoice 7'],
    ['read', 'reports', undefined],
  ]);
  expect(shown(waiters)).toEqual([
    ['write', 'reports', undefined],
    ['read', 'billing', undefined],
  ]);
  expect(holders[0]).toMatchObject({
    isEphemeral: true,
    fencingToken: first.fencingToken,
    holder: { host: hostname(), pid: process.pid },
  });
  expect(Math.abs(holders[0]!.queuedAt.getTime() - Date.now())).toBeLessThan(60_000);
  const tokens = [...holders, ...waiters].map(({ fencingToken }) => fencingToken);
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));

  await first.release();
  await worker.stop();
  await (await fourth).release();
  await third;
});

it('shows a lock that nobody wants, and leaves no directory for it', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  const inspector = await openInspector();
  expect(await locks.inspect('k')).toEqual({ key: 'k', holders: [], waiters: [], total: 0 });
  expect(await locks.list()).toEqual([]);
  expect(await inspector.exists(root)).toBeUndefined();
});

it('reads no more of a long queue than it was asked for', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const holder = await locks.acquire('k');
  const waiting = Array.from({ length: 30 }, () => locks.acquire('k'));
  await waitFor(async () => (await locks.inspect('k')).total === 31, { what: 'the queue' });
  const { holders, waiters, total } = await locks.inspect('k', { limit: 5 });
  expect([holders.length, waiters.length, total]).toEqual([1, 4, 31]);
  await holder.release();
  for (const next of waiting) await (await next).release();
});

it('lists the keys that are in use, whatever is in their names', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const keys = ['order:42', 'a/b', '100%', 'ä ö', '..', 'käse/%2F'];
  const held = await Promise.all(keys.map((key) => locks.acquire(key)));
  expect(await locks.list()).toEqual(keys.toSorted());
  for (const lock of held) await lock.release();
});

it('says nothing of who other libraries are, and does not mind their data', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root });
  const inspector = await openInspector();
  const lock = await locks.acquire('k');
  const theirs = `${root}/k/_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__`;
  const node = await inspector.create(theirs, '192.168.0.7', 'ephemeralSequential');
  const { waiters } = await locks.inspect('k');
  expect(waiters).toMatchObject([{ mode: 'write', isEphemeral: true, holder: undefined }]);
  await inspector.delete(node);
  await lock.release();
});

it('refuses a directory of another dialect, as acquiring does', async () => {
  const root = ownRoot();
  const inspector = await openInspector();
  const locks = await openLocks({ root });
  await (await locks.acquire('k')).release();
  const node = await inspector.create(
    `${root}/k/${'0'.repeat(32)}__lock__`,
    '',
    'ephemeralSequential',
  );
  await expect(locks.inspect('k')).rejects.toThrow(LockDirectoryError);
  await expect(locks.inspect('k')).rejects.toThrow("dialect: 'kazoo'");
  await inspector.delete(node);
});

it('waits for the connection, and fails when it does not come', async () => {
  const proxy = await FaultProxy.start(sharedServer().port);
  try {
    const locks = await openLocks({
      ...shortSession,
      root: ownRoot(),
      servers: proxy.connectString,
      connectTimeoutMs: 1_000,
    });
    await proxy.refuse();
    await proxy.cut();
    await waitFor(() => !locks.session.isConnected, { what: 'the connection to be lost' });
    await expect(locks.inspect('k')).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
    const inspecting = locks.inspect('k');
    await proxy.accept();
    expect(await inspecting).toMatchObject({ total: 0 });
  } finally {
    await proxy.stop();
  }
});

it('looks at nothing once the service closes', async () => {
  const proxy = await FaultProxy.start(sharedServer().port);
  try {
    const locks = await openLocks({ root: ownRoot(), servers: proxy.connectString });
    await proxy.freeze();
    const closed = { code: 'LOCK_SERVICE_CLOSED' };
    const pending = expect(locks.inspect('k')).rejects.toMatchObject(closed);
    const closing = locks.close();
    await pending;
    await expect(locks.list()).rejects.toMatchObject(closed);
    await proxy.thaw();
    await closing;
  } finally {
    await proxy.stop();
  }
});

it.each([
  ['limit', 0],
  ['limit', 1.5],
  ['linearizable', 'yes'],
  ['unknown', true],
])('refuses %s: %j', async (option, value) => {
  const locks = await openLocks({ root: ownRoot() });
  await expect(locks.inspect('k', { [option]: value })).rejects.toThrow(option);
});
