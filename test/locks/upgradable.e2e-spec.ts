import { expect, it } from 'vitest';
import { openTwo } from '../support/place.js';

it('reads beside readers, but only one upgradable reader at a time', async () => {
  const { locks, others } = await openTwo();
  const reader = await others.acquire('k', { mode: 'read' });
  const first = await locks.acquireUpgradable('k');
  expect(first.mode).toBe('read');
  await expect(others.acquireUpgradable('k', { timeoutMs: 0 })).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
  });
  await (await others.acquire('k', { mode: 'read' })).release();
  expect(await others.tryAcquire('k')).toBeNull();

  const second = others.acquireUpgradable('k');
  await first.release();
  await (await second).release();
  await reader.release();
});

it('writes alone once the readers have left, and then becomes a reader again', async () => {
  const { locks, others, queued } = await openTwo();
  const lock = await locks.acquireUpgradable('k');
  const reader = await others.acquire('k', { mode: 'read' });
  let isUpgraded = false;
  const upgrading = lock.upgrade().finally(() => (isUpgraded = true));
  // The third node is the marker.
  await queued(3);
  // It stops contenders that arrive later.
  expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();
  expect(isUpgraded).toBe(false);

  await reader.release();
  const writing = await upgrading;
  expect(writing.mode).toBe('write');
  expect(writing.fencingToken).toBe(lock.fencingToken);
  expect(await others.tryAcquire('k', { mode: 'read' })).toBeNull();

  await writing.release();
  expect(lock.isHeld).toBe(true);
  await (await others.acquire('k', { mode: 'read' })).release();
  await lock.release();
  await (await others.acquire('k')).release();
});

it('is joined by readers inside, and by writers while it is upgraded', async () => {
  const { locks } = await openTwo();
  await locks.withUpgradableLock('k', {}, async (lock) => {
    await (await locks.acquire('k', { mode: 'read' })).release();
    await expect(locks.acquire('k')).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
    await expect(locks.acquireUpgradable('k')).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
    const [first, second] = await Promise.all([lock.upgrade(), lock.upgrade()]);
    const inner = await locks.acquire('k');
    expect(inner.fencingToken).toBe(lock.fencingToken);
    await Promise.all([first.release(), second.release()]);
    // With the last writer's release, it becomes a reader again.
    expect((await locks.inspect('k')).holders).toMatchObject([{ mode: 'write' }]);
    await inner.release();
    expect((await locks.inspect('k')).holders).toMatchObject([{ mode: 'read' }]);
  });
});

it('releases everything with the reader, even while it is upgraded', async () => {
  const { root, inspector, locks, others } = await openTwo();
  const lock = await locks.acquireUpgradable('k');
  const writing = await lock.upgrade();
  await lock.release();
  expect(writing.isHeld).toBe(false);
  await writing.release();
  await expect(lock.upgrade()).rejects.toMatchObject({ code: 'LOCK_RELEASED' });
  const next = await others.acquireUpgradable('k');
  // The directory in which upgraders take turns is not a key.
  expect(await locks.list()).toEqual(['k']);
  await next.release();
  expect((await inspector.tree(root)).filter((path) => /\d{10}$/.test(path))).toEqual([]);
});

it.each(['the reader', 'the intent'])(
  'is lost when an operator deletes the node of %s',
  async (which) => {
    const { root, inspector, locks, others, queued } = await openTwo();
    const lock = await locks.acquireUpgradable('k');
    const directory = which === 'the reader' ? `${root}/k` : `${root}/k%upgradable`;
    const [node] = await inspector.children(directory);
    const reader = await others.acquire('k', { mode: 'read' });
    const upgrading = lock.upgrade().catch((error: unknown) => error);
    await queued(3);
    await inspector.delete(`${directory}/${node!}`);
    expect(await upgrading).toMatchObject({ code: 'LOCK_LOST', reason: 'node-deleted' });
    expect(lock.isHeld).toBe(false);
    await lock.release();
    await reader.release();
  },
);
