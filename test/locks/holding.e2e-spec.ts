import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-locks/src/client/client-errors.js';
import { currentLock } from '../../libs/zk-locks/src/grant/async-scope.js';
import {
  LockDirectoryError,
  LockLostError,
  LockReleasedError,
  LockUpgradeError,
} from '../../libs/zk-locks/src/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock.js';
import { lockNodes, openInspector, openLocks, ownRoot, shortSession } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

async function open() {
  const root = ownRoot();
  const inspector = await openInspector();
  const locks = await openLocks({ root });
  return { root, inspector, locks, nodes: () => lockNodes(inspector, `${root}/k`) };
}

it('is given back by release, once, however often that is called', async () => {
  const { locks, nodes } = await open();
  const lock = await locks.acquire('k');
  expect(lock).toMatchObject({ key: 'k', mode: 'write', isHeld: true });
  await Promise.all([lock.release(), lock.release()]);
  await lock.release();
  expect(await nodes()).toEqual([]);
  expect(lock.isHeld).toBe(false);
  expect(lock.signal.aborted).toBe(false);
  expect(() => lock.assertHeld()).toThrow(LockReleasedError);
});

it('is given back at the end of an `await using` block', async () => {
  const { locks, nodes } = await open();
  {
    await using lock = await locks.acquire('k');
    lock.assertHeld();
  }
  expect(await nodes()).toEqual([]);
});

it('names its process to whoever looks at the queue', async () => {
  const { root, inspector, locks, nodes } = await open();
  await using _lock = await locks.acquire('k');
  const [name = ''] = await nodes();
  expect(name).toMatch(/^_c_[0-9a-f-]{36}-__WRIT__\d{10}$/);
  const { data } = await inspector.get(`${root}/k/${name}`);
  expect(JSON.parse(data.toString())).toMatchObject({ pid: process.pid });
});

it('has a token that rises with every grant, also after its directory was removed', async () => {
  const { root, inspector, locks } = await open();
  const tokens: bigint[] = [];
  for (let round = 0; round < 3; round++) {
    await locks.withLock('k', (lock) => tokens.push(lock.fencingToken));
    await waitFor(async () => !(await inspector.exists(`${root}/k`)), {
      what: 'the empty directory to vanish',
      timeoutMs: 20_000,
    });
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
  expect(new Set(tokens).size).toBe(3);
});

it('is lost when an operator deletes its node, and told so', async () => {
  const { root, inspector, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  const [name = ''] = await nodes();
  await inspector.delete(`${root}/k/${name}`);
  await waitFor(() => lock.signal.aborted, { what: 'the signal to abort' });

  expect(lock.signal.reason).toBeInstanceOf(LockLostError);
  expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'node-deleted', key: 'k' });
  expect(lock.isHeld).toBe(false);
  expect(() => lock.assertHeld()).toThrow(LockLostError);
  expect(locks.counts.held).toBe(0);
  await lock.release();
});

it('stays held when somebody changes the data of its node, and still hears of its deletion', async () => {
  const { root, inspector, locks, nodes } = await open();
  const lock = await locks.acquire('k');
  const path = `${root}/k/${String((await nodes())[0])}`;
  for (const data of ['one', 'two', '']) await inspector.set(path, data);
  expect(lock.isHeld).toBe(true);
  await inspector.delete(path);
  await waitFor(() => lock.signal.aborted, { what: 'the signal to abort' });
});

it('refuses a directory with nodes of another kind, names them, and leaves nothing there', async () => {
  const { root, inspector, locks, nodes } = await open();
  await locks.withLock('k', () => undefined);
  await inspector.create(`${root}/k/somebody-elses-node`, '');
  await expect(locks.acquire('k')).rejects.toThrow(LockDirectoryError);
  await expect(locks.acquire('k')).rejects.toThrow('somebody-elses-node');
  await waitFor(async () => (await nodes()).length === 1, { what: 'our nodes to be removed' });
});

it('rejects withLock when the lock was lost meanwhile, even if the work succeeded', async () => {
  const { root, inspector, locks, nodes } = await open();
  const work = locks.withLock('k', async (lock) => {
    await inspector.delete(`${root}/k/${String((await nodes())[0])}`);
    await waitFor(() => lock.signal.aborted, { what: 'the signal to abort' });
    return 'done';
  });
  await expect(work).rejects.toThrow(LockLostError);
});

it('rejects withLock with the loss when the work was stopped by its signal', async () => {
  const { root, inspector, locks, nodes } = await open();
  const work = locks.withLock('k', async ({ signal }) => {
    await inspector.delete(`${root}/k/${String((await nodes())[0])}`);
    await sleep(10_000, undefined, { signal });
  });
  await expect(work).rejects.toThrow(LockLostError);
});

it("passes the work's own error on, and gives the lock back", async () => {
  const { root, inspector, locks, nodes } = await open();
  await expect(locks.withLock('k', () => Promise.reject(new Error('mine')))).rejects.toThrow(
    'mine',
  );
  expect(await nodes()).toEqual([]);
  const lost = locks.withLock('k', async (lock) => {
    await inspector.delete(`${root}/k/${String((await nodes())[0])}`);
    await waitFor(() => lock.signal.aborted, { what: 'the signal to abort' });
    throw new Error('mine, too');
  });
  await expect(lost).rejects.toThrow('mine, too');
});

it('is joined by a nested call on the same key, with the same token', async () => {
  const { locks, nodes } = await open();
  await locks.withLock('k', async (outer) => {
    await locks.withLock('k', async (inner) => {
      expect(inner.fencingToken).toBe(outer.fencingToken);
      await locks.withLock('k', { mode: 'read' }, (reader) => {
        expect(reader).toMatchObject({ mode: 'read', fencingToken: outer.fencingToken });
        expect(currentLock()).toBe(reader);
      });
      expect(currentLock()).toBe(inner);
    });
    expect(outer.isHeld).toBe(true);
    expect(await nodes()).toHaveLength(1);
    await using handle = await locks.acquire('k', { timeoutMs: 0 });
    expect(handle.fencingToken).toBe(outer.fencingToken);
  });
  expect(currentLock()).toBeUndefined();
  expect(await nodes()).toEqual([]);
});

it('is kept until the last of those who share it lets go', async () => {
  const { locks, nodes } = await open();
  let finish = (): void => undefined;
  let nested: Promise<void> | undefined;
  await locks.withLock('k', () => {
    nested = locks.withLock('k', () => new Promise<void>((resolve) => (finish = resolve)));
  });
  expect(await nodes()).toHaveLength(1);
  finish();
  await nested;
  expect(await nodes()).toEqual([]);
});

it('is not joined by work that goes on after it was released', async () => {
  const { locks } = await open();
  let late: Promise<Lock> | undefined;
  let resume = (): void => undefined;
  let token = 0n;
  await locks.withLock('k', (lock) => {
    token = lock.fencingToken;
    late = new Promise<void>((resolve) => (resume = resolve)).then(() => locks.acquire('k'));
  });
  resume();
  await using lock = await late;
  expect(lock?.fencingToken).toBeGreaterThan(token);
});

it('refuses to become a write lock inside a read lock, at once', async () => {
  const { locks } = await open();
  await locks.withLock('k', { mode: 'read' }, async () => {
    await expect(locks.acquire('k')).rejects.toThrow(LockUpgradeError);
    await expect(
      Promise.all([locks.withLock('k', () => 1), locks.withLock('k', { mode: 'read' }, () => 2)]),
    ).rejects.toThrow(LockUpgradeError);
  });
});

it('excludes independent calls of the same process', async () => {
  const { locks } = await open();
  const lock = await locks.acquire('k');
  onTestFinished(() => lock.release());
  expect(await locks.tryAcquire('k')).toBeNull();
});

it('is lost when ZooKeeper refuses to show its node, whose deletion nobody would notice', async () => {
  const { locks, root, inspector, nodes } = await open();
  const lock = await locks.acquire('k');
  const [node] = await nodes();
  vi.spyOn(locks.session, 'get').mockRejectedValueOnce(
    new ZooKeeperError(ReturnCode.noAuth, 'get', node!),
  );
  // A change uses up the watch.
  await inspector.set(`${root}/k/${node!}`, 'changed');
  await waitFor(() => lock.signal.aborted, { what: 'the loss' });
  expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'node-unreadable' });
  await lock.release();
  expect(await nodes()).toEqual([]);
});

it('is queued up for anew when the session ends in the turn of the last answer', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root, ...shortSession });
  const other = await locks.acquire('other');
  const list = locks.session.list.bind(locks.session);
  let hasStalled = false;
  vi.spyOn(locks.session, 'list').mockImplementation(async (...args) => {
    const names = await list(...args);
    if (hasStalled || names.length === 0) return names;
    hasStalled = true;
    // The process stands still for longer than its session, and somebody asks for it first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    queueMicrotask(() => expect(other.isHeld).toBe(false));
    return names;
  });
  const lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
  await lock.release();
  await other.release();
});
