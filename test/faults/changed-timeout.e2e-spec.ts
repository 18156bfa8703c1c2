import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks } from '../support/locks.js';
import { startServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';

/** A holder behind a proxy and a rival beside it; their server is down, and about to change its limit. */
async function open() {
  const server = await startServer({ maxSessionTimeoutMs: 40_000 });
  onTestFinished(() => server.stop());
  const proxy = await FaultProxy.start(server.port);
  onTestFinished(() => proxy.stop());
  const options = { sessionTimeoutMs: 20_000, tickTimeMs: 500 };
  const holders = await openLocks({ ...options, servers: proxy.connectString });
  const waiters = await openLocks({ ...options, servers: server.connectString });
  const lock = await holders.acquire('k');
  let wasAborted = false;
  lock.signal.addEventListener('abort', () => (wasAborted = true));

  await server.halt();
  await waitFor(() => !holders.session.isConnected, { what: 'the session to be suspended' });
  return { server, proxy, holders, waiters, lock, wasAborted: () => wasAborted };
}

it('goes by the session timeout that a restarted server sets, not by the one it had before', async () => {
  const { server, proxy, holders, waiters, lock, wasAborted } = await open();
  const { sessionId } = holders.session.snapshot.state as { sessionId: string };
  await server.restart({ maxSessionTimeoutMs: 2_000 });
  await waitFor(() => holders.session.isConnected && waiters.session.isConnected, {
    what: 'the sessions to reconnect',
    timeoutMs: 20_000,
  });
  expect(holders.session.snapshot.state).toEqual({
    name: 'connected',
    sessionId,
    timeoutMs: 2_000,
  });
  lock.assertHeld();

  const waiting = waiters.acquire('k');
  await waitFor(() => waiters.counts.waiting === 1, { what: 'the waiter to wait' });
  await proxy.freeze();
  await using next = await waiting;
  expect(wasAborted()).toBe(true);
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 60_000);

it('goes by it even when the connection that brought it is lost before it is used', async () => {
  const { server, proxy, waiters, lock, wasAborted } = await open();
  // Slow enough to be frozen before another connection is made.
  await proxy.delay(150);
  const loss = await proxy.loseNextReply('heartbeat');
  const waiting = waiters.acquire('k', { timeoutMs: 60_000 });
  await server.restart({ maxSessionTimeoutMs: 2_000 });
  await loss.happened;
  await proxy.freeze();
  expect(lock.isHeld).toBe(true);

  await using next = await waiting;
  expect(wasAborted()).toBe(true);
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 60_000);
