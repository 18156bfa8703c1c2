import { it, onTestFinished } from 'vitest';
import { contest } from '../../support/contest.js';
import { openLocks, type TestLocks } from '../../support/locks.js';
import { openProxy } from '../../support/open-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import { openZooKeeper } from '../../support/open-servers.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/**
 * The servers' database keeps the timeout with which a session was created. A restarted server, or
 * a leader elected later, uses that one, whatever a reconnect has granted since.
 */
const options = { sessionTimeoutMs: 30_000, tickTimeMs: 500 };

/** Resolves when the holder's session has been granted more than its original timeout. */
async function untilGrantedMore(holders: TestLocks, createdMs: number): Promise<void> {
  const isGranted = (): boolean => {
    const { state } = holders.session.snapshot;
    return state.name === 'connected' && state.timeoutMs > createdMs;
  };
  await waitFor(isGranted, { what: 'a longer session timeout', timeoutMs: 20_000 });
}

it("tells the holder in time if a restarted server uses the timeout of the session's creation", async () => {
  const createdMs = 9_000;
  const first = await openZooKeeper({ maxSessionTimeoutMs: createdMs });
  const raised = { minSessionTimeoutMs: 40_000, maxSessionTimeoutMs: 40_000 };
  const server = await ZooKeeperServer.prepare(raised);
  onTestFinished(() => server.stop());
  const before = await openProxy(first.port);
  const after = await openProxy(server.port);
  await after.refuse();
  const servers = `${before.connectString},${after.connectString}`;
  const holders = await openLocks({ ...options, servers });
  const lock = await holders.acquire('k');
  // The first server keeps the session alive until the other one serves it. The lock is held
  // however long that takes on a busy machine.
  server.copyData(first);
  await server.restart();
  await after.accept();
  await before.refuse();
  await before.cut();
  await untilGrantedMore(holders, createdMs);
  lock.assertHeld();

  await after.freeze();
  await server.kill();
  await server.restart();
  const waiters = await openLocks({ ...options, servers: server.connectString });
  const { toldInTime } = await contest(lock, waiters);
  await toldInTime();
}, 120_000);
