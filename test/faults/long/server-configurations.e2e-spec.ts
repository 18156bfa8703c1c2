import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectRising, openLocks } from '../../support/locks.js';
import { waitFor } from '../../support/wait-for.js';
import { connect } from '../../support/connect.js';
import { contest } from '../../support/contest.js';
import { openProxy } from '../../support/open-proxy.js';
import { openEnsemble, openZooKeeper } from '../../support/open-servers.js';
import { uniqueRoot } from '../../support/shared-server.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** Short enough to wait for, and long enough for a busy machine. */
const SESSION = { sessionTimeoutMs: 5_000, tickTimeMs: 500 };

/** Configurations that keep the promises (docs/decisions/0017-server-assumptions.md). */

it('tells a holder on a follower with local sessions before the lock is given to another process', async () => {
  const local = { localSessionsEnabled: 'true', localSessionsUpgradingEnabled: 'true' };
  const ensemble = await openEnsemble({ extraConfigOf: () => local });
  const [follower, another] = await ensemble.followers();
  const proxy = await openProxy(follower!.port);
  const holders = await openLocks({ ...SESSION, servers: proxy.connectString });
  const waiters = await openLocks({ ...SESSION, servers: another!.connectString });
  // The first ephemeral node makes the session global. Several at once are created in a `multi`.
  const keys = ['k', ...Array.from({ length: 9 }, (_, number) => `k${String(number)}`)];
  const [lock] = await Promise.all(keys.map((key) => holders.acquire(key)));
  const beganAt = performance.now();
  const msHeld = (): number => performance.now() - beganAt;
  await waitFor(() => msHeld() > 2 * SESSION.sessionTimeoutMs, { what: 'two timeouts' });
  lock!.assertHeld();

  const { toldInTime } = await contest(lock!, waiters);
  await proxy.freeze();
  await toldInTime();
});

it('keeps a lock, and the order of tokens, when the zxid of an epoch is used up', async () => {
  const ensemble = await openEnsemble({
    // The epoch ends after 200 transactions.
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
  expectRising(tokens);
  lock.assertHeld();
  await lock.release();
}, 120_000);

it('refuses a waiter for whom a quota has no room, and keeps the holder', async () => {
  const server = await openZooKeeper({
    systemProperties: { 'zookeeper.enforceQuota': 'true' },
  });
  const locks = await openLocks({ ...SESSION, servers: server.connectString });
  const operator = await connect(server.port);
  onTestFinished(() => operator.abandon());
  const lock = await locks.acquire('k');
  const quota = '/zookeeper/quota/locks';
  await operator.create(quota, Buffer.alloc(0), 'persistent');
  const limits = 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=3';
  await operator.create(`${quota}/zookeeper_limits`, Buffer.from(limits), 'persistent');
  await operator.create(`${quota}/zookeeper_stats`, Buffer.from('count=3,bytes=0'), 'persistent');
  await expect(locks.acquire('k')).rejects.toMatchObject({ code: 'ZK_QUOTA_EXCEEDED' });
  const refusal = () => locks.session.snapshot.refusal;
  expect(refusal()).toMatchObject({ code: 'ZK_QUOTA_EXCEEDED', path: '/locks/k' });
  lock.assertHeld();
  await lock.release();
  await waitFor(() => refusal() === undefined, { what: 'the session to find that there is room' });
  await locks.withLock('k', () => undefined);
  expect(await operator.list('/locks/k')).toEqual([]);
});

describe('a quota that refuses each call', () => {
  let server: ZooKeeperServer;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({
      systemProperties: { 'zookeeper.enforceQuota': 'true' },
    });
    return () => server.stop();
  });

  it.each([
    { quota: 'the bytes of the root', of: '', limits: 'byteHardLimit=100;countHardLimit=-1' },
    { quota: 'the nodes of one key', of: '/k', limits: 'byteHardLimit=-1;countHardLimit=2' },
    { quota: 'the root', of: '', key: 'none', limits: 'byteHardLimit=-1;countHardLimit=3' },
  ])(
    'is reported by the health check as long as it lasts: of $quota',
    async ({ of, limits, key = 'k' }) => {
      const root = uniqueRoot();
      const proxy = await openProxy(server.port);
      const locks = await openLocks({ ...SESSION, root, servers: proxy.connectString });
      const operator = await connect(server.port);
      onTestFinished(() => operator.abandon());
      const lock = await locks.acquire(key);
      let quota = '/zookeeper/quota';
      for (const name of `${root}${of}`.split('/').slice(1)) {
        quota += `/${name}`;
        await operator.create(quota, Buffer.alloc(0), 'persistent');
      }
      const all = Buffer.from(`count=-1,bytes=-1=;${limits}`);
      await operator.create(`${quota}/zookeeper_limits`, all, 'persistent');
      // The server counts the existing nodes.
      await operator.create(
        `${quota}/zookeeper_stats`,
        Buffer.from('count=0,bytes=0'),
        'persistent',
      );
      await expect(locks.acquire(key)).rejects.toMatchObject({ code: 'ZK_QUOTA_EXCEEDED' });
      await proxy.resetCounters();
      const what = 'several heartbeats, each of which asks whether there is room again';
      // The next to last request has been answered by then.
      await waitFor(async () => (await proxy.requests()).multi > 3, { what });
      expect(locks.session.snapshot.refusal).toMatchObject({ code: 'ZK_QUOTA_EXCEEDED' });
      await lock.release();
    },
  );
});
