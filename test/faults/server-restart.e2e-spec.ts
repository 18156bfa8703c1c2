import { expect, it } from 'vitest';
import { lossOf, openLocks, untilWaiting } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { openServer } from '../support/open-servers.js';

async function open(sessionTimeoutMs: number) {
  const server = await openServer();
  const options = { servers: server.connectString, sessionTimeoutMs, tickTimeMs: 500 };
  const holders = await openLocks(options);
  const waiters = await openLocks(options);
  return { server, holders, waiters };
}

it('keeps the lock and the queue when the server comes back within the session timeout', async () => {
  const { server, holders, waiters } = await open(20_000);
  const lock = await holders.acquire('k');
  const waiting = waiters.acquire('k');
  await untilWaiting(waiters);
  const before = holders.session.snapshot.state;

  await server.kill();
  await waitFor(() => !holders.session.isConnected, { what: 'the session to be suspended' });
  expect(holders.session.snapshot.state.name).toBe('suspended');
  expect(lock.isHeld).toBe(true);
  await server.restart();
  await waitFor(() => holders.session.isConnected && waiters.session.isConnected, {
    what: 'the sessions to reconnect',
  });

  expect(holders.session.snapshot.state).toEqual(before);
  lock.assertHeld();
  await lock.release();
  await using next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 60_000);

it('ends the lock when the server comes back too late, and lets the queue go on', async () => {
  const { server, holders, waiters } = await open(2_000);
  const lock = await holders.acquire('k');
  const waiting = waiters.acquire('k');
  const states: string[] = [];
  holders.session.onState((state) => states.push(state.name));

  await server.kill();
  expect(await lossOf(lock)).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' });
  expect(lock.isHeld).toBe(false);
  await server.restart();

  await using next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
  await waitFor(() => holders.session.isConnected, { what: 'the former holder to reconnect' });
  expect(await holders.tryAcquire('k')).toBeNull();
  expect(states).toEqual(['connected', 'suspended', 'lost', 'connecting', 'connected']);

  expect(await holders.inspect('k')).toMatchObject({ total: 1 });
}, 60_000);
