import { expect, it } from 'vitest';
import { expectRising, openLocks, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { openProxy } from '../support/open-proxy.js';

const WAITERS = 1_000;

it('serves a thousand waiters of one process in order, also after their connection was reset', async () => {
  const proxy = await openProxy();
  // The session outlives stalls of a busy machine: with it, all places in the queue would be lost.
  const session = { sessionTimeoutMs: 20_000, tickTimeMs: 500 };
  const locks = await openLocks({ ...session, root: ownRoot(), servers: proxy.connectString });
  const before = locks.session.snapshot.state;
  const holder = await locks.acquire('k');
  const tokens: bigint[] = [];
  const waiting = Array.from({ length: WAITERS }, () =>
    locks.withLock('k', { timeoutMs: 60_000 }, (lock) => tokens.push(lock.fencingToken)),
  );
  const watches = async (): Promise<number> => (await proxy.requests()).getData;
  // Each waiter reads its own node, and that watch also serves the waiter behind it.
  await waitFor(async () => (await watches()) > WAITERS, {
    what: 'all to wait',
    timeoutMs: 30_000,
  });

  await proxy.resetCounters();
  await proxy.cut();
  await waitFor(async () => (await watches()) > WAITERS, { what: 'all to watch again' });
  // One list of the queue serves all waiters.
  await waitFor(async () => (await proxy.requests()).getChildren > 0, { what: 'a look' });
  expect(await proxy.requests()).toMatchObject({ getChildren: 1, create: 0 });

  await proxy.resetCounters();
  await holder.release();
  await Promise.all(waiting);
  // No list is needed while turns pass within one process, however many calls wait behind.
  const { getChildren, getData } = await proxy.requests();
  expect(getChildren).toBe(0);
  // A waiting node is read when its news are old, which is not once for each turn.
  expect(getData).toBeLessThan(WAITERS / 10);
  expect(tokens).toHaveLength(WAITERS);
  expectRising(tokens);
  expect(locks.session.snapshot.state).toEqual(before);
}, 90_000);
