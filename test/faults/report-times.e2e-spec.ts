import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { shortestTimeoutMs } from '../../libs/zk-lock/src/session/lease-times.js';
import type { Lock } from '../../libs/zk-lock/src/locks/lock.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { openLocks } from '../support/locks.js';
import { openLinkedEnsemble } from '../support/open-linked-ensemble.js';
import { RelayHost } from '../support/relay-host.js';
import { alignReports, untilReportIsDue } from '../support/report-phase.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble, type ZooKeeperEnsembleOptions } from '../support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';

const HOLDERS = 12;

async function openEnsemble(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble> {
  const ensemble = await ZooKeeperEnsemble.start(options);
  onTestFinished(() => ensemble.stop());
  return ensemble;
}

/**
 * Cuts holders off from their server, one after the other over `cycleMs`, and gives for each whether
 * it was told by the time its lock was granted to the next one.
 */
async function toldInTime(
  server: ZooKeeperServer,
  waitersAt: ZooKeeperServer,
  session: { sessionTimeoutMs: number; tickTimeMs: number },
  cycleMs: number,
): Promise<boolean[]> {
  const relays = await RelayHost.start();
  onTestFinished(() => relays.stop());
  const calm = { sessionTimeoutMs: 30_000, tickTimeMs: 500 };
  const waiters = await openLocks({ ...calm, servers: waitersAt.connectString });
  const lanes = await Promise.all(
    Array.from({ length: HOLDERS }, async (_, index) => {
      const proxy = await FaultProxy.start(server.port, relays);
      const holders = await openLocks({ ...session, servers: proxy.connectString });
      const lock = await holders.acquire(`k${String(index)}`);
      return { proxy, lock };
    }),
  );
  const granted = lanes.map(async ({ lock }) => {
    await using _next = await waiters.acquire(lock.key, { timeoutMs: 60_000 });
    return lock.signal.aborted;
  });
  await waitFor(() => waiters.counts.waiting === HOLDERS, { what: 'the waiters to wait' });
  for (const { proxy, lock } of lanes) {
    lock.assertHeld();
    await proxy.freeze();
    await sleep(cycleMs / HOLDERS);
  }
  return Promise.all(granted);
}

it('tells holders in time whose follower is cut off just before its next report', async () => {
  const tickTimeMs = 4_000;
  const sessionTimeoutMs = shortestTimeoutMs(tickTimeMs) + 50;
  const limits = { minSessionTimeoutMs: 1_000, maxSessionTimeoutMs: 40_000 };
  const ensemble = await openLinkedEnsemble({ tickTimeMs, ...limits });
  const leader = await ensemble.servers.leader();
  const [follower] = await ensemble.servers.followers();
  const reports = { leader, follower: follower!, tickTimeMs, timeoutMs: sessionTimeoutMs };
  const calm = { sessionTimeoutMs: 30_000, tickTimeMs };
  await openLocks({ ...calm, servers: follower!.connectString });
  await alignReports(reports);

  const waiters = await openLocks({ ...calm, servers: leader.connectString });
  const locks: Lock[] = [];
  for (let index = 0; index < HOLDERS; index++) {
    const servers = follower!.connectString;
    const holders = await openLocks({ sessionTimeoutMs, tickTimeMs, servers });
    locks.push(await holders.acquire(`k${String(index)}`));
  }
  const granted = locks.map(async (lock) => {
    await using _next = await waiters.acquire(lock.key, { timeoutMs: 60_000 });
    return lock.signal.aborted;
  });
  await waitFor(() => waiters.counts.waiting === HOLDERS, { what: 'the waiters to wait' });
  await untilReportIsDue(reports);
  // On a busy machine some have been told already: so short a lease has no room for late heartbeats.
  await ensemble.freezeLinksFrom(follower!);

  const told = await Promise.all(granted);
  expect(told).toEqual(told.map(() => true));
}, 120_000);

it('tells holders in time on an observer behind a follower, with twice the tick', async () => {
  const tickTimeMs = 1_000;
  const ensemble = await openEnsemble({ tickTimeMs, observers: 1, observerMaster: true });
  const [observer] = ensemble.observers;
  const session = { sessionTimeoutMs: 4_000, tickTimeMs: 2 * tickTimeMs };
  const told = await toldInTime(observer!, await ensemble.leader(), session, 2 * tickTimeMs);
  expect(told).toEqual(told.map(() => true));
}, 120_000);
