import { expect, it } from 'vitest';
import { openLocks, openWorker, ownRoot, shortSession } from '../support/locks.js';

it('tells a process that was stopped beyond its session, as soon as it wakes, that the lock is lost', async () => {
  const root = ownRoot();
  const worker = await openWorker({ ...shortSession, root });
  const locks = await openLocks({ ...shortSession, root });
  const held = await worker.acquire('k');

  worker.signal('SIGSTOP');
  await using lock = await locks.acquire('k');
  expect(BigInt(held.fencingToken)).toBeLessThan(lock.fencingToken);

  // The question is on its way before the process wakes, ahead of whatever ZooKeeper would tell it.
  const answer = worker.assertHeld(held.lock).catch((error: unknown) => error);
  worker.signal('SIGCONT');
  expect(await answer).toMatchObject({ code: 'LOCK_LOST' });
  expect(await worker.inspect(held.lock)).toEqual({ isHeld: false, aborted: true });
  expect(lock.isHeld).toBe(true);

  await worker.release(held.lock);
  const next = worker.acquire('k');
  await lock.release();
  await worker.release((await next).lock);
});
