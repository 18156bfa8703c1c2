import { expect, it, vi } from 'vitest';
import { LockAbortedError, LockTimeoutError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZooKeeperUnavailableError } from '../../libs/zk-client/src/zk-lock-error.js';
import { endsWithin } from '../support/ends-within.js';
import { cutOff, shortSession } from '../support/locks.js';
import { openBehindProxy, openTwo } from '../support/place.js';

it('gives up at the timeout and leaves no node', async () => {
  const { locks, queued } = await openTwo();
  await using _holder = await locks.acquire('k');
  const startedAt = performance.now();
  const refused = await locks.acquire('k', { timeoutMs: 2_000 }).catch((error: unknown) => error);
  expect(performance.now() - startedAt).toBeGreaterThan(1_995);
  expect(refused).toBeInstanceOf(LockTimeoutError);
  expect(refused).toMatchObject({
    ...{ code: 'LOCK_TIMEOUT', key: 'k', mode: 'write', timeoutMs: 2_000 },
  });
  await queued(1);
});

it('stops waiting when the caller aborts, and leaves no node', async () => {
  const { locks, queued } = await openTwo();
  await using _holder = await locks.acquire('k');
  const controller = new AbortController();
  const waiting = locks.acquire('k', { signal: controller.signal });
  await queued(2);
  const cause = new Error('the client went away');
  controller.abort(cause);
  await expect(waiting).rejects.toThrow(LockAbortedError);
  await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause });
  await queued(1);
});

it('does not begin to wait if the signal has already aborted', async () => {
  const { locks, queue } = await openTwo();
  const creates = vi.spyOn(locks.session, 'create');
  await expect(locks.acquire('k', { signal: AbortSignal.abort() })).rejects.toThrow(
    LockAbortedError,
  );
  expect(creates).not.toHaveBeenCalled();
  expect(await queue()).toEqual([]);
});

it('tries once with a timeout of zero, and writes nothing if the lock is taken', async () => {
  const { locks, others, proxy } = await openBehindProxy();
  const holder = await others.acquire('k');
  await expect(locks.acquire('k', { timeoutMs: 0 })).rejects.toThrow(LockTimeoutError);
  expect(await locks.tryAcquire('k')).toBeNull();
  expect(await locks.tryAcquire('k', { mode: 'read' })).toBeNull();
  expect((await proxy.requests()).create).toBe(0);

  await holder.release();
  await using lock = await locks.tryAcquire('k');
  expect(lock?.isHeld).toBe(true);
});

it('keeps to the timeout while ZooKeeper cannot be reached, and names the servers', async () => {
  const { locks, proxy } = await openBehindProxy(shortSession);
  await cutOff(proxy, locks);
  for (const timeoutMs of [0, 200]) {
    const waiting = locks.acquire('k', { timeoutMs }).catch((error: unknown) => error);
    expect(await endsWithin(timeoutMs + 250, waiting)).toBe(true);
    const refused = await waiting;
    expect(refused).toBeInstanceOf(ZooKeeperUnavailableError);
    expect(String(refused)).toContain(proxy.connectString);
  }
  await proxy.accept();
});
