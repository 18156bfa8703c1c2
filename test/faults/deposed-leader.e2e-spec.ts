import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openWorker } from '../support/locks.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

/**
 * A leader that has lost its followers without hearing of it goes on answering `sync` for
 * `syncLimit × tickTime`, here ten seconds, while the others elect a new one that ends the sessions.
 */
it('tells the holder on a leader without a quorum before the lock is given to another process', async () => {
  const links: { to: number; proxy: FaultProxy }[] = [];
  const ensemble = await ZooKeeperEnsemble.start({
    syncLimit: 20,
    routeQuorumLink: async ({ to, port }) => {
      const proxy = await FaultProxy.startBlind(port);
      links.push({ to, proxy });
      return proxy.port;
    },
  });
  onTestFinished(async () => {
    await ensemble.stop();
    await Promise.all(links.map(({ proxy }) => proxy.stop()));
  });
  const leader = await ensemble.leader();
  const followers = await ensemble.followers();
  const session = { sessionTimeoutMs: 2_000, tickTimeMs: 500 };
  const holder = await openWorker({ ...session, servers: leader.connectString });
  const waiter = await openWorker({
    ...session,
    servers: followers.map(({ connectString }) => connectString).join(','),
  });
  const held = await holder.acquire('k');
  const waiting = waiter.acquire('k');

  const toLeader = links.filter(({ to }) => to === ensemble.idOf(leader));
  await Promise.all(toLeader.map(({ proxy }) => proxy.freeze()));
  await Promise.all(followers.map((follower) => follower.kill()));
  await Promise.all(followers.map((follower) => follower.restart()));

  const [lost, granted] = await Promise.all([holder.loss(held.lock), waiting]);
  expect(granted.at).toBeGreaterThan(lost.at);
  expect(BigInt(granted.fencingToken)).toBeGreaterThan(BigInt(held.fencingToken));
}, 60_000);
