import { expect, it, onTestFinished } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { openWorker } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';

const tick = { tickTimeMs: 500 };

/**
 * A follower that is cut off from its leader goes on answering pings and reads for
 * `syncLimit × tickTime`, here ten seconds, while the leader ends the sessions of its clients after
 * their own timeout. A client that takes those answers for a sign of life holds on to a lock that
 * another has.
 */
async function openEnsemble() {
  const links: { from: number; proxy: FaultProxy }[] = [];
  const ensemble = await ZooKeeperEnsemble.start({
    syncLimit: 20,
    routeQuorumLink: async ({ from, port }) => {
      const proxy = await FaultProxy.startBlind(port);
      links.push({ from, proxy });
      return proxy.port;
    },
  });
  onTestFinished(async () => {
    await ensemble.stop();
    await Promise.all(links.map(({ proxy }) => proxy.stop()));
  });
  const cutFromLeader = async (member: ZooKeeperServer): Promise<void> => {
    const own = links.filter(({ from }) => from === ensemble.idOf(member));
    await Promise.all(own.map(({ proxy }) => proxy.freeze()));
  };
  const [first, second] = await ensemble.followers();
  if (!first || !second) throw new Error('the ensemble has no two followers');
  return { leader: await ensemble.leader(), first, second, cutFromLeader };
}

it('tells the holder on a cut-off follower before the lock is given to another process', async () => {
  const { leader, first, cutFromLeader } = await openEnsemble();
  const session = { ...tick, sessionTimeoutMs: 2_000 };
  const holder = await openWorker({ ...session, servers: first.connectString });
  const waiter = await openWorker({ ...session, servers: leader.connectString });
  const held = await holder.acquire('k');
  const waiting = waiter.acquire('k');

  await cutFromLeader(first);
  const [lost, granted] = await Promise.all([holder.loss(held.lock), waiting]);

  expect(granted.at).toBeGreaterThan(lost.at);
  expect(BigInt(granted.fencingToken)).toBeGreaterThan(BigInt(held.fencingToken));
  expect(await first.mode()).toBe('follower');
}, 60_000);

it('keeps the lock when the holder can go on to another server in time', async () => {
  const { first, second, cutFromLeader } = await openEnsemble();
  const holder = await openWorker({
    ...tick,
    sessionTimeoutMs: 6_000,
    servers: `${first.connectString},${second.connectString}`,
  });
  const connectedTo = async (): Promise<string | undefined> => (await holder.session()).connectedTo;
  const held = await holder.acquire('k');
  const before = await connectedTo();

  await cutFromLeader(before === first.connectString ? first : second);
  await waitFor(async () => (await connectedTo()) !== before, { what: 'the holder to move on' });

  await holder.assertHeld(held.lock);
  expect(holder.losses).toEqual([]);
  await holder.release(held.lock);
}, 60_000);
