import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks, type TestLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/**
 * The servers' database keeps the session timeout of the session's creation. A restarted server, or
 * a leader elected later, counts that one, whatever a reconnect has granted since.
 */
const options = { sessionTimeoutMs: 30_000, tickTimeMs: 500 };

async function openProxy(port: number): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(port);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Resolves when the holder's session, which was granted `createdMs` at first, has got a longer timeout. */
async function untilGrantedMore(holders: TestLocks, createdMs: number): Promise<void> {
  const isGranted = (): boolean => {
    const { state } = holders.session.snapshot;
    return state.name === 'connected' && state.timeoutMs > createdMs;
  };
  await waitFor(isGranted, { what: 'a longer session timeout', timeoutMs: 20_000 });
}

async function untilWaiting(waiters: TestLocks): Promise<void> {
  await waitFor(() => waiters.counts.waiting === 1, { what: 'the waiter to wait' });
}

it.each(['maximum', 'minimum'] as const)(
  'tells the holder in time where a leader goes by the timeout of the creation, and the %s was raised since',
  async (raised) => {
    const createdMs = 4_000;
    const ensemble = await ZooKeeperEnsemble.start({ maxSessionTimeoutMs: createdMs });
    onTestFinished(() => ensemble.stop());
    const leader = await ensemble.leader();
    const [first, second] = await ensemble.followers();
    const minimum = raised === 'minimum' ? { minSessionTimeoutMs: 20_000 } : {};
    await second!.restart({ ...minimum, maxSessionTimeoutMs: 20_000 });

    const before = await openProxy(first!.port);
    const after = await openProxy(second!.port);
    await after.refuse();
    const servers = `${before.connectString},${after.connectString}`;
    const holders = await openLocks({ ...options, servers });
    const waiters = await openLocks({ ...options, servers: ensemble.connectString });
    const lock = await holders.acquire('k');
    expect(holders.session.snapshot.state).toMatchObject({ timeoutMs: createdMs });
    const waiting = waiters.acquire('k', { timeoutMs: 60_000 });
    await untilWaiting(waiters);

    await after.accept();
    await before.refuse();
    await before.cut();
    if (raised === 'minimum') await untilGrantedMore(holders, createdMs);
    else
      await waitFor(() => holders.session.snapshot.connectedTo?.endsWith(`:${after.port}`), {
        what: 'the other server',
      });
    lock.assertHeld();
    await after.freeze();
    await leader.kill();

    await using next = await waiting;
    expect(lock.signal.aborted).toBe(true);
    expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
  },
  120_000,
);

it('tells the holder in time where a restarted server goes by the timeout of the creation', async () => {
  // Long enough for the server to restart on a busy machine.
  const createdMs = 20_000;
  const server = await ZooKeeperServer.start({ maxSessionTimeoutMs: createdMs });
  onTestFinished(() => server.stop());
  const proxy = await openProxy(server.port);
  const holders = await openLocks({ ...options, servers: proxy.connectString });
  const lock = await holders.acquire('k');
  await server.restart({ minSessionTimeoutMs: 40_000, maxSessionTimeoutMs: 40_000 });
  await untilGrantedMore(holders, createdMs);
  lock.assertHeld();

  await proxy.freeze();
  await server.kill();
  await server.restart();
  const waiters = await openLocks({ ...options, servers: server.connectString });
  await using next = await waiters.acquire('k', { timeoutMs: 60_000 });
  expect(lock.signal.aborted).toBe(true);
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 120_000);
