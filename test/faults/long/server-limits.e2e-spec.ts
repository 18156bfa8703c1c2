import { expect, it, onTestFinished } from 'vitest';
import { newSharedController } from '../../../libs/zk-client/src/listeners.js';
import { openInspector, openLocks } from '../../support/locks.js';
import { waitFor } from '../../support/wait-for.js';
import { connect } from '../../support/connect.js';
import { openProxy } from '../../support/open-proxy.js';
import { openZooKeeper, openEnsemble } from '../../support/open-servers.js';
import { credentialsOf } from '../../support/session-outsider.js';

/** The longest possible key. */
const LONG_KEY = 'k'.repeat(512);

/** The paths of this many lock nodes take more than the 2 MiB that a server reads. */
const TOO_MANY = 4_000;

/** A process that holds the lock of {@link LONG_KEY}, and a function that adds waiters. */
async function openQueue() {
  const server = await openZooKeeper();
  const proxy = await openProxy(server.port);
  const locks = await openLocks({
    servers: proxy.connectString,
    sessionTimeoutMs: 20_000,
    maxWaiting: { perKey: Infinity },
  });
  const held = await locks.acquire(LONG_KEY);
  const inspector = await openInspector(server.connectString);
  const countNodes = async (): Promise<number> =>
    (await inspector.childrenIfAny(`/locks/${LONG_KEY}`)).length;
  const untilLeft = (count: number): Promise<unknown> =>
    waitFor(async () => (await countNodes()) === count, {
      ...{ what: `${count} nodes to be left`, timeoutMs: 60_000, intervalMs: 250 },
    });

  /** Begins waits, and resolves once each has its node or was refused. */
  const begin = async (count: number) => {
    const leaving = newSharedController();
    const refusals: unknown[] = [];
    const options = { signal: leaving.signal, timeoutMs: 300_000 };
    const waits = Array.from({ length: count }, () =>
      locks.acquire(LONG_KEY, options).catch((error: unknown) => {
        if (!leaving.signal.aborted) refusals.push(error);
      }),
    );
    await waitFor(async () => (await countNodes()) + refusals.length === 1 + count, {
      what: 'each wait to have its node or to be refused',
      ...{ timeoutMs: 100_000, intervalMs: 250 },
    });
    const leave = async (): Promise<void> => {
      leaving.abort();
      await Promise.all(waits);
      await untilLeft(1);
      // Answered after the deletions.
      await locks.session.sync(locks.session.connectedLease!, '/');
    };
    return { refusals, leave };
  };
  /** Ends the session as the server does when it expires. */
  const endSession = async (): Promise<void> => {
    const { sessionId } = locks.session.snapshot.state as { sessionId: string };
    await proxy.freeze();
    await (await connect(server.port, { session: credentialsOf(sessionId) })).close();
  };
  return { server, held, untilLeft, begin, endSession };
}

it('refuses lock nodes that make the session larger than servers can read', async () => {
  const { server, untilLeft, begin, endSession } = await openQueue();
  const { refusals } = await begin(TOO_MANY);
  const refused = [...refusals];
  await endSession();
  await untilLeft(0);
  // The server reads the end of the session from its log.
  await server.restart();
  const next = await openLocks({ servers: server.connectString });
  await next.withLock(LONG_KEY, () => undefined);
  expect(refused.length).toBeGreaterThan(0);
  for (const refusal of refused) expect(refusal).toMatchObject({ code: 'ZK_TOO_MANY_EPHEMERALS' });
}, 200_000);

it('keeps a lock while the server throttles requests', async () => {
  const server = await openZooKeeper({
    systemProperties: {
      'zookeeper.request_throttle_max_requests': '2',
      'zookeeper.request_throttle_stall_time': '20',
      'zookeeper.throttled_op_wait_time': '5',
    },
  });
  const proxy = await openProxy(server.port);
  const locks = await openLocks({ servers: proxy.connectString, sessionTimeoutMs: 20_000 });
  const lock = await locks.acquire('k');
  const others = await connect(server.port);
  let throttled = 0;
  let isOver = false;
  const keepBusy = async (): Promise<void> => {
    while (!isOver) {
      const reads = Array.from({ length: 400 }, () => others.get('/'));
      for (const { status } of await Promise.allSettled(reads)) {
        if (status === 'rejected') throttled++;
      }
    }
  };
  const busy = keepBusy();
  onTestFinished(async () => {
    isOver = true;
    await busy;
    others.abandon();
  });
  // Each new connection reads the lock's node again.
  for (let round = 0; round < 5; round++) {
    const before = throttled;
    await proxy.cut();
    await waitFor(() => locks.session.isConnected && throttled > before, {
      what: 'the session to reconnect, and requests to be throttled',
      timeoutMs: 20_000,
    });
    await locks.client.exists('/', { timeoutMs: 20_000 });
    lock.assertHeld();
  }
  await locks.withLock('another', () => undefined);
  lock.assertHeld();
  await lock.release();
}, 100_000);

it('says that a server whose sessions stay local has no locks', async () => {
  const ensemble = await openEnsemble({
    extraConfigOf: () => ({ localSessionsEnabled: 'true' }),
  });
  const locks = await openLocks({ servers: ensemble.connectString });
  await expect(locks.acquire('k')).rejects.toMatchObject({ code: 'ZK_LOCAL_SESSION' });
  const { refusal } = locks.session.snapshot;
  expect(refusal).toMatchObject({ code: 'ZK_LOCAL_SESSION' });
});
