import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { machineTime } from '../../workers/soak/journal.js';
import { shortestTimeoutMs } from '../../../libs/zk-client/src/session/lease-deadline.js';
import type { Lock } from '../../../libs/zk-locks/src/lock/lock.js';
import type { LocksOptions } from 'zk-locks';
import { openLocks, untilWaiting, type TestLocks } from '../../support/locks.js';
import { openLinkedEnsemble } from '../../support/open-servers.js';
import {
  alignReports,
  alignWithObserver,
  exactTimeoutMs,
  untilReportIsDue,
  worstReport,
} from '../../support/report-phase.js';

const HOLDERS = 3;
const SESSIONS = { minSessionTimeoutMs: 1_000, maxSessionTimeoutMs: 40_000 };

/** Locks held by sessions on one server, with waiters on another server. */
async function openHolders(
  holders: Partial<LocksOptions>,
  waiters: Partial<LocksOptions>,
): Promise<{
  toldInTime: Promise<boolean[]>;
  areHeld: () => boolean;
  release: () => Promise<unknown>;
}> {
  const next = await openLocks(waiters);
  const names = Array.from({ length: HOLDERS }, (_, index) => `k${String(index)}`);
  const opened = await Promise.all(
    names.map(async (name) => {
      const locks = await openLocks(holders);
      const lock = await locks.acquire(name);
      void keepBusy(locks, lock);
      return lock;
    }),
  );
  const granted = opened.map(async (lock) => {
    await using _next = await next.acquire(lock.key, { timeoutMs: 60_000 });
    return lock.signal.aborted;
  });
  await untilWaiting(next, HOLDERS);
  const areHeld = (): boolean => opened.every((lock) => lock.isHeld);
  const release = (): Promise<unknown> => Promise.allSettled(opened.map((lock) => lock.release()));
  return { toldInTime: Promise.all(granted), areHeld, release };
}

/**
 * Sends requests continually, so that the lease is as long as possible when the connection is cut.
 */
async function keepBusy(locks: TestLocks, lock: Lock): Promise<void> {
  const { key, signal } = lock;
  while (lock.isHeld) {
    const other = await locks.acquire(`${key}-other`, { signal }).catch(() => undefined);
    await other?.release().catch(() => undefined);
    await sleep(10);
  }
}

async function cutOffBeforeReport(): Promise<boolean[]> {
  const tickTimeMs = 3_000;
  const sessionTimeoutMs = shortestTimeoutMs(tickTimeMs) + 50;
  const ensemble = await openLinkedEnsemble({ tickTimeMs, ...SESSIONS });
  const leader = await ensemble.servers.leader();
  const [follower] = await ensemble.servers.followers();
  const reports = { leader, follower: follower!, tickTimeMs, timeoutMs: sessionTimeoutMs };
  const calm = { sessionTimeoutMs: 30_000, tickTimeMs };
  await openLocks({ ...calm, servers: follower!.connectString });
  await alignReports(reports);

  const { toldInTime } = await openHolders(
    { sessionTimeoutMs, tickTimeMs, servers: follower!.connectString },
    { ...calm, servers: leader.connectString },
  );
  await untilReportIsDue(reports);
  // On a busy machine, some holders have already lost their locks: a lease this short does not
  // allow for late heartbeats.
  await ensemble.freezeLinksFrom(follower!);
  return toldInTime;
}

/** An observer's report arrives just after that of its follower, and waits for the next one. */
async function cutOffBehindObserver(): Promise<boolean[]> {
  // A long tick leaves room for a busy machine: the leases have a tenth of it.
  const tickTimeMs = 4_000;
  const ensemble = await openLinkedEnsemble({
    ...{ tickTimeMs, observers: 1, observerMaster: true },
    ...SESSIONS,
  });
  const { servers } = ensemble;
  const [observer] = servers.observers;
  const leader = await servers.leader();
  const follower = servers.observerMaster!;
  const calm = { sessionTimeoutMs: 30_000, tickTimeMs };
  await openLocks({ ...calm, servers: follower.connectString });
  const reports = { leader, follower, tickTimeMs, timeoutMs: 7_200 };
  await alignWithObserver(reports, () => ensemble.bytesFrom(observer!));
  const sessionTimeoutMs = await exactTimeoutMs(reports);

  const until = (time: number): Promise<void> => sleep(time - machineTime());
  for (;;) {
    const { toldInTime, areHeld, release } = await openHolders(
      { sessionTimeoutMs, tickTimeMs: 2 * tickTimeMs, servers: observer!.connectString },
      { ...calm, servers: leader.connectString },
    );
    const report = await worstReport({ ...reports, timeoutMs: sessionTimeoutMs }, 0);
    await until(report + tickTimeMs / 2 - 150);
    await observer!.pause();
    await until(report + tickTimeMs / 2 + 50);
    observer!.resume();
    await until(report + tickTimeMs - 150);
    if (areHeld()) {
      await ensemble.freezeLinksFrom(follower);
      return toldInTime;
    }
    // A busy machine has lost one: a lease this short does not allow for late heartbeats.
    await release();
    await toldInTime;
  }
}

it('tells holders in time whose follower is cut off just before its next report, and those on an observer behind it with twice the tick', async () => {
  // Run in parallel, because they mostly wait.
  const told = (await Promise.all([cutOffBeforeReport(), cutOffBehindObserver()])).flat();
  expect(told).toEqual(Array<boolean>(2 * HOLDERS).fill(true));
}, 180_000);
