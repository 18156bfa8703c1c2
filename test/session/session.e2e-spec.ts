import { expect, it, onTestFinished } from 'vitest';
import { ZooKeeperUnavailableError } from '../../libs/zk-client/src/zk-lock-error.js';
import { openClient } from '../support/clients.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endsWithin } from '../support/ends-within.js';
import { freePort } from '../support/free-port.js';
import { openProxy } from '../support/open-proxy.js';
import { openServer } from '../support/open-servers.js';
import {
  lossOf,
  cutOff,
  openInspector,
  openLocks,
  shortSession,
  TestLocks,
  untilWaiting,
  openLogged,
} from '../support/locks.js';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { openBehindProxy } from '../support/place.js';

it('shows its state but no secrets', async () => {
  const credentials = { username: 'app', password: 'hunter2' };
  const locks = await openLocks({ ...shortSession, credentials, acl: 'open' });
  await waitFor(() => locks.session.snapshot.lastRoundTripMs !== undefined, {
    what: 'a heartbeat',
  });
  const { snapshot } = locks.session;
  expect(snapshot).toMatchObject({
    state: { name: 'connected', timeoutMs: shortSession.sessionTimeoutMs },
    servers: sharedServer().connectString,
    connectedTo: sharedServer().connectString,
    configuredServer: sharedServer().connectString,
  });
  expect(JSON.stringify(snapshot)).not.toContain('hunter2');
  await locks.close();
  expect(locks.session.snapshot.state).toEqual({ name: 'closed' });
});

it.each([
  { sessionTimeoutMs: 10_000, granted: 'timeout 10000 ms.' },
  {
    sessionTimeoutMs: 120_000,
    granted: "timeout 40000 ms, the servers' limit; `sessionTimeoutMs` is 120000.",
  },
])('logs the timeout that it was granted for $sessionTimeoutMs', async (options) => {
  const { connectString: servers } = await openServer({ maxSessionTimeoutMs: 40_000 });
  const { logger } = await openLogged({ servers, sessionTimeoutMs: options.sessionTimeoutMs });
  expect(logger.of('log')).toContainEqual(
    `log: Connected to ZooKeeper at ${servers} with a new session, ${options.granted}`,
  );
});

it('finds its server by name among names and servers that do not exist', async () => {
  const { port } = sharedServer();
  const dead = await freePort();
  const servers = `no-such-host.invalid:${port},127.0.0.1:${dead},localhost:${port}`;
  const locks = await openLocks({ servers });
  expect(locks.session.isConnected).toBe(true);
});

it('gives no cause at start if no server answers but no attempt has failed', async () => {
  const proxy = await openProxy();
  await proxy.freeze();
  const locks = new TestLocks({ servers: proxy.connectString, connectTimeoutMs: 300 });
  const failure = await locks.start().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ZooKeeperUnavailableError);
  expect(failure).not.toHaveProperty('cause');
  await proxy.thaw();
});

it('presents its credentials on every connection', async () => {
  const root = uniqueRoot();
  const inspector = await openInspector();
  await inspector.withAuth('digest', 'app:secret');
  await inspector.create(root, '');
  await inspector.restrictTo(root, 'app', 'secret');
  onTestFinished(() => inspector.deleteTree(root));
  const proxy = await openProxy();
  const allowed = await openLocks({
    root,
    servers: proxy.connectString,
    credentials: { username: 'app', password: 'secret' },
    acl: 'open',
  });
  await allowed.withLock('k', () => undefined);
  await proxy.cut();
  await allowed.withLock('other', () => undefined);
});

/** As when closing locks, but with more time than a service has, for a busy machine. */
const patient = { timeoutMs: 20_000 };

it('ends its session on the server when it is closed, even while it is suspended', async () => {
  const { proxy, locks, queue } = await openBehindProxy({ sessionTimeoutMs: 20_000 });
  await locks.acquire('k');
  await cutOff(proxy, locks);
  const closing = locks.session.close(patient);
  await proxy.accept();
  await closing;
  expect(await queue()).toEqual([]);
});

it.each([
  { client: 'native', lose: (proxy: FaultProxy) => proxy.loseNextReply('sync') },
  { client: 'wire', lose: (proxy: FaultProxy) => proxy.loseNextRequest('closeSession') },
] as const)(
  'ends its session on the server when the connection is lost while $client closes it',
  async ({ client, lose }) => {
    const { proxy, locks, queue } = await openBehindProxy({ client, sessionTimeoutMs: 20_000 });
    await locks.acquire('k');
    const loss = await lose(proxy);
    await locks.session.close(patient);
    await loss.happened;
    expect(await queue()).toEqual([]);
  },
);

it('closes in time while the servers cannot be reached, and leaves its session to expire', async () => {
  const { proxy, locks, others } = await openBehindProxy(shortSession);
  const lock = await locks.acquire('k');
  await proxy.freeze();
  expect(await endsWithin(5_000, locks.close())).toBe(true);
  expect(lock.isHeld).toBe(false);
  expect(lock.signal.aborted).toBe(true);
  await using next = await others.acquire('k');
  expect(next.isHeld).toBe(true);
});

it('replaces a session that was ended on the server, and reports every step', async () => {
  const { proxy, locks } = await openBehindProxy({ sessionTimeoutMs: 20_000 });
  const states: string[] = [];
  locks.session.onState((state) => states.push(state.name));
  const lock = await locks.acquire('k');
  const waiting = locks.acquire('k', { timeoutMs: Infinity });
  await untilWaiting(locks);

  const { credentials: session } = await locks.session.whenConnected(AbortSignal.timeout(1_000));
  await cutOff(proxy, locks);
  const { client: administrator } = await openClient(sharedServer().port, { session });
  await administrator.close();
  expect(lock.isHeld).toBe(true);
  await proxy.accept();

  expect(await lossOf(lock)).toMatchObject({ code: 'LOCK_LOST', reason: 'session-expired' });
  await using next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
  expect(states).toEqual(['connected', 'suspended', 'lost', 'connecting', 'connected']);
});
