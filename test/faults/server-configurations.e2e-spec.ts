import { Connection } from 'zk-client';
import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks, shortSession } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble, type ZooKeeperEnsembleOptions } from '../support/zookeeper-ensemble.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** What docs/decisions/0017-server-assumptions.md says of configurations that keep the promises. */

async function startEnsemble(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble> {
  const ensemble = await ZooKeeperEnsemble.start(options);
  onTestFinished(() => ensemble.stop());
  return ensemble;
}

it.each(['follower', 'leader'] as const)(
  'tells a holder on a %s with local sessions before the lock is given to another process',
  async (role) => {
    const local = { localSessionsEnabled: 'true', localSessionsUpgradingEnabled: 'true' };
    const ensemble = await startEnsemble({ extraConfigOf: () => local });
    const [follower, another] = await ensemble.followers();
    const server = role === 'leader' ? await ensemble.leader() : follower!;
    const proxy = await FaultProxy.start(server.port);
    onTestFinished(() => proxy.stop());
    const holders = await openLocks({ ...shortSession, servers: proxy.connectString });
    const waiters = await openLocks({ ...shortSession, servers: another!.connectString });
    // Its first ephemeral node makes the session global; with several at once, inside a `multi`.
    const keys = ['k', ...Array.from({ length: 9 }, (_, number) => `k${String(number)}`)];
    const [lock] = await Promise.all(keys.map((key) => holders.acquire(key)));
    const beganAt = performance.now();
    const msHeld = (): number => performance.now() - beganAt;
    await waitFor(() => msHeld() > 2 * shortSession.sessionTimeoutMs, { what: 'two timeouts' });
    lock!.assertHeld();

    const waiting = waiters.acquire('k', { timeoutMs: 60_000 });
    await waitFor(() => waiters.counts.waiting === 1, { what: 'the waiter to wait' });
    await proxy.freeze();
    await using next = await waiting;
    expect(lock!.signal.aborted).toBe(true);
    expect(next.fencingToken).toBeGreaterThan(lock!.fencingToken);
  },
  60_000,
);

it('grants nothing while the leader stalls, and tells the holder before the leader goes on', async () => {
  const ensemble = await startEnsemble({ syncLimit: 100 });
  const [first, second] = await ensemble.followers();
  const leader = await ensemble.leader();
  const holders = await openLocks({ ...shortSession, servers: first!.connectString });
  const waiters = await openLocks({ ...shortSession, servers: second!.connectString });
  const lock = await holders.acquire('k');
  let isGranted = false;
  const waiting = waiters
    .acquire('k', { timeoutMs: 60_000 })
    .then((next) => ((isGranted = true), next));
  await waitFor(() => waiters.counts.waiting === 1, { what: 'the waiter to wait' });

  await leader.pause();
  try {
    await waitFor(() => lock.signal.aborted, { what: 'the holder to be told' });
    expect(isGranted).toBe(false);
  } finally {
    leader.resume();
  }
  await using next = await waiting;
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 60_000);

it('never goes on with a server that has become read-only', async () => {
  const ensemble = await startEnsemble({ systemProperties: { 'readonlymode.enabled': 'true' } });
  const [server, ...others] = ensemble.members;
  const locks = await openLocks({ ...shortSession, servers: server!.connectString });
  const lock = await locks.acquire('k');
  await Promise.all(others.map((other) => other.kill()));
  const isReadOnly = async (): Promise<boolean> =>
    (await server!.fourLetterWord('srvr', 1_000).catch(() => '')).includes('Mode: read-only');
  await waitFor(isReadOnly, { what: 'the server to be read-only', timeoutMs: 30_000 });
  await waitFor(() => lock.signal.aborted, { what: 'the holder to be told' });
  expect(locks.session.isConnected).toBe(false);
  await expect(
    Connection.open({
      ...{ host: '127.0.0.1', port: server!.port, sessionTimeoutMs: 2_000 },
      listener: { onEvent: () => undefined, onEnd: () => undefined },
    }),
  ).rejects.toThrow();

  await Promise.all(others.map((other) => other.restart()));
  await using next = await locks.acquire('k', { timeoutMs: 30_000 });
  expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
}, 120_000);

it('keeps a lock, and the order of tokens, when the zxid of an epoch is used up', async () => {
  const ensemble = await startEnsemble({
    // So many transactions before the end.
    systemProperties: { 'zookeeper.testingonly.initialZxid': String(0xffff_ffff - 200) },
  });
  const options = { sessionTimeoutMs: 20_000, tickTimeMs: 500, servers: ensemble.connectString };
  const locks = await openLocks(options);
  const lock = await locks.acquire('held');
  const tokens: bigint[] = [];
  const epochs = (): number => new Set(tokens.map((token) => token >> 42n)).size;
  while (epochs() < 2) {
    await locks.withLock('k', { timeoutMs: 60_000 }, ({ fencingToken }) => {
      tokens.push(fencingToken);
    });
  }
  expect(tokens).toEqual(tokens.toSorted((one, another) => (one < another ? -1 : 1)));
  lock.assertHeld();
  await lock.release();
}, 120_000);

it('refuses a waiter for whom a quota has no room, and keeps the holder', async () => {
  const server = await ZooKeeperServer.start({
    systemProperties: { 'zookeeper.enforceQuota': 'true' },
  });
  onTestFinished(() => server.stop());
  const locks = await openLocks({ ...shortSession, servers: server.connectString });
  const operator = await Connection.open({
    ...{ host: '127.0.0.1', port: server.port, sessionTimeoutMs: 20_000 },
    listener: { onEvent: () => undefined, onEnd: () => undefined },
  });
  onTestFinished(() => operator.abandon());
  const lock = await locks.acquire('k');
  const quota = '/zookeeper/quota/locks';
  await operator.create(quota, Buffer.alloc(0));
  const limits = 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=3';
  await operator.create(`${quota}/zookeeper_limits`, Buffer.from(limits));
  await operator.create(`${quota}/zookeeper_stats`, Buffer.from('count=3,bytes=0'));
  await expect(locks.acquire('k')).rejects.toMatchObject({ code: 'ZK_QUOTA_EXCEEDED' });
  lock.assertHeld();
  await lock.release();
  await locks.withLock('k', () => undefined);
}, 60_000);
