import { expect, it } from 'vitest';
import { contest } from '../../support/contest.js';
import { openLocks } from '../../support/locks.js';
import { openProxy } from '../../support/open-proxy.js';
import { openServer } from '../../support/open-servers.js';
import { waitFor } from '../../support/wait-for.js';

/**
 * A holder behind a proxy and a rival without one. Their server is stopped, and will restart with
 * another limit.
 */
async function open() {
  const server = await openServer({ maxSessionTimeoutMs: 40_000 });
  const proxy = await openProxy(server.port);
  // These sessions outlive a restart on a busy machine.
  const options = { sessionTimeoutMs: 40_000, tickTimeMs: 500 };
  const holders = await openLocks({ ...options, servers: proxy.connectString });
  const waiters = await openLocks({ ...options, servers: server.connectString });
  const lock = await holders.acquire('k');
  await server.halt();
  await waitFor(() => !holders.session.isConnected, { what: 'the session to be suspended' });
  return { server, proxy, holders, waiters, lock };
}

it('uses the session timeout that a restarted server sets, not the previous one', async () => {
  const { server, proxy, holders, waiters, lock } = await open();
  const { sessionId } = holders.session.snapshot.state as { sessionId: string };
  await server.restart({ maxSessionTimeoutMs: 4_000 });
  await waitFor(() => holders.session.isConnected && waiters.session.isConnected, {
    what: 'the sessions to reconnect',
  });
  const { state } = holders.session.snapshot;
  expect(state).toEqual({ name: 'connected', sessionId, timeoutMs: 4_000 });
  lock.assertHeld();
  const { toldInTime } = await contest(lock, waiters);
  await proxy.freeze();
  await toldInTime();
});
