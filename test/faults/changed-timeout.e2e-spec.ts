import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

it('goes by the session timeout that a restarted server sets, not by the one it had before', async () => {
  const server = await ZooKeeperServer.start({ maxSessionTimeoutMs: 40_000 });
  onTestFinished(() => server.stop());
  const proxy = await FaultProxy.start(server.port);
  onTestFinished(() => proxy.stop());
  const options = { sessionTimeoutMs: 20_000, tickTimeMs: 500 };
  const holders = await openLocks({ ...options, servers: proxy.connectString });
  const waiters = await openLocks({ ...options, servers: server.connectString });
  const lock = await holders.acquire('k');
  const before = holders.session.snapshot.state;

  await server.halt();
  await waitFor(() => !holders.session.isConnected, { what: 'the session to be suspended' });
  writeFileSync(
    server.configFile,
    readFileSync(server.configFile, 'utf8').replace(
      /maxSessionTimeout=.*/,
      'maxSessionTimeout=2000',
    ),
  );
  await server.restart();
  await waitFor(() => holders.session.isConnected && waiters.session.isConnected, {
    what: 'the sessions to reconnect',
    timeoutMs: 20_000,
  });
  expect(holders.session.snapshot.state).toEqual({ ...before, timeoutMs: 2_000 });
  lock.assertHeld();

  const waiting = waiters.acquire('k');
  await waitFor(() => waiters.counts.waiting === 1, { what: 'the waiter to wait' });
  let wasAborted = false;
  lock.signal.addEventListener('abort', () => (wasAborted = true));
  await proxy.freeze();
  await using next = await waiting;
  expect(wasAborted).toBe(true);
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 60_000);
