import { expect, it } from 'vitest';
import { openLocks, openWorker, ownRoot, shortSession } from '../support/locks.js';

const T = shortSession.sessionTimeoutMs;

it('gives the lock of a killed process to the next one when its session has ended, not before', async () => {
  const root = ownRoot();
  const worker = await openWorker({ ...shortSession, root });
  const locks = await openLocks({ ...shortSession, root });
  const { fencingToken } = await worker.acquire('k');
  const waiting = locks.acquire('k');

  worker.signal('SIGKILL');
  await worker.ended;
  const killedAt = performance.now();
  await using lock = await waiting;

  // The server has heard from it at most one heartbeat before it died.
  expect(performance.now() - killedAt).toBeGreaterThan(T - T / 6 - 50);
  expect(lock.fencingToken).toBeGreaterThan(BigInt(fencingToken));
});
