import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { LockLostError, LockReleasedError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { lossOf } from '../support/locks.js';
import { openTwo } from '../support/place.js';

it('is released once, however often release() is called', async () => {
  const { locks, queue } = await openTwo();
  const lock = await locks.acquire('k');
  expect(lock).toMatchObject({ key: 'k', mode: 'write', isHeld: true });
  await Promise.all([lock.release(), lock.release()]);
  await lock.release();
  expect(await queue()).toEqual([]);
  expect(lock.isHeld).toBe(false);
  expect(lock.signal.aborted).toBe(false);
  expect(() => lock.assertHeld()).toThrow(LockReleasedError);
});

it('is lost when an operator deletes its node, and its holder is told', async () => {
  const { locks, remove } = await openTwo();
  const lock = await locks.acquire('k');
  await remove();
  const loss = await lossOf(lock);
  expect(loss).toBeInstanceOf(LockLostError);
  expect(loss).toMatchObject({ code: 'LOCK_LOST', reason: 'node-deleted', key: 'k' });
  expect(lock.isHeld).toBe(false);
  expect(() => lock.assertHeld()).toThrow(LockLostError);
  expect(locks.counts.held).toBe(0);
  await lock.release();
});

it('is lost when ZooKeeper refuses to show its node, whose deletion would go unnoticed', async () => {
  const { locks, directory, inspector, queue } = await openTwo();
  const lock = await locks.acquire('k');
  const path = `${directory}/${(await queue())[0]!}`;
  // An answer to a later request: by then, the node has been read and is watched.
  await locks.inspect('k');
  const refusal = new ZooKeeperError(ReturnCode.noAuth, 'get', path);
  vi.spyOn(locks.session, 'get').mockRejectedValueOnce(refusal);
  // The change triggers the watch, which must then be set again.
  await inspector.set(path, 'changed');
  expect(await lossOf(lock)).toMatchObject({ code: 'LOCK_LOST', reason: 'node-unreadable' });
  await lock.release();
  expect(await queue()).toEqual([]);
});

it('rejects withLock when the lock was lost, whether the work succeeded or was stopped by its signal', async () => {
  const { locks, remove } = await openTwo();
  const succeeding = locks.withLock('k', async (lock) => {
    await remove();
    await lossOf(lock);
    return 'done';
  });
  await expect(succeeding).rejects.toThrow(LockLostError);
  const stopped = locks.withLock('k', async ({ signal }) => {
    await remove();
    await sleep(10_000, undefined, { signal });
  });
  await expect(stopped).rejects.toThrow(LockLostError);
});
