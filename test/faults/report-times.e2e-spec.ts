import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { machineTime } from '../../apps/soak-worker/src/journal.js';
import { shortestTimeoutMs } from '../../libs/zk-lock/src/session/lease-times.js';
import type { LockManagerOptions } from '../../libs/zk-lock/src/locks/lock-manager-options.js';
import { openLocks } from '../support/locks.js';
import { openLinkedEnsemble } from '../support/open-linked-ensemble.js';
import { alignReports, untilReportIsDue, worstReport } from '../support/report-phase.js';
import { waitFor } from '../support/wait-for.js';

/** Their heartbeats come at different times, so that one is just in time for the cut. */
const HOLDERS = 12;
const SESSIONS = { minSessionTimeoutMs: 1_000, maxSessionTimeoutMs: 40_000 };

/** Locks that one server's sessions hold, and that sessions of another server wait for. */
async function openHolders(
  holders: Partial<LockManagerOptions>,
  waiters: Partial<LockManagerOptions>,
): Promise<{ toldInTime: Promise<boolean[]>; assertHeld: () => void }> {
  const next = await openLocks(waiters);
  const opened = await Promise.all(
    Array.from({ length: HOLDERS }, async (_, index) => {
      // Sessions of their own, that do not begin at the same moment.
      await sleep((index / HOLDERS) * ((holders.sessionTimeoutMs ?? 0) / 10));
      return (await openLocks(holders)).acquire(`k${String(index)}`);
    }),
  );
  const granted = opened.map(async (lock) => {
    await using _next = await next.acquire(lock.key, { timeoutMs: 60_000 });
    return lock.signal.aborted;
  });
  await waitFor(() => next.counts.waiting === HOLDERS, { what: 'the waiters to wait' });
  const assertHeld = (): void => {
    for (const lock of opened) lock.assertHeld();
  };
  return { toldInTime: Promise.all(granted), assertHeld };
}

it('tells holders in time whose follower is cut off just before its next report', async () => {
  const tickTimeMs = 4_000;
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
  // On a busy machine some have been told already: so short a lease has no room for late heartbeats.
  await ensemble.freezeLinksFrom(follower!);

  const told = await toldInTime;
  expect(told).toEqual(told.map(() => true));
}, 120_000);

/** A report of an observer that just misses a report of the follower before it waits for the next. */
it('tells holders in time on an observer behind a follower, with twice the tick', async () => {
  const tickTimeMs = 2_000;
  const sessionTimeoutMs = 4_300;
  const missedByMs = 50;
  const ensemble = await openLinkedEnsemble({
    ...{ tickTimeMs, observers: 1, observerMaster: true },
    ...SESSIONS,
  });
  const { servers } = ensemble;
  const [observer] = servers.observers;
  const leader = await servers.leader();
  const follower = servers.observerMaster!;
  const reports = { leader, follower, tickTimeMs, timeoutMs: sessionTimeoutMs };
  const calm = { sessionTimeoutMs: 30_000, tickTimeMs };
  await openLocks({ ...calm, servers: follower.connectString });
  await alignReports(reports);

  const { toldInTime, assertHeld } = await openHolders(
    { sessionTimeoutMs, tickTimeMs: 2 * tickTimeMs, servers: observer!.connectString },
    { ...calm, servers: leader.connectString },
  );
  const report = await worstReport(reports, 500);
  const until = (time: number): Promise<void> => sleep(time - machineTime());
  await until(report + missedByMs);
  await ensemble.freezeLinksFrom(observer!);
  await until(report + tickTimeMs / 2 + missedByMs);
  await ensemble.thawLinks();
  await until(report + tickTimeMs - 3 * missedByMs);
  assertHeld();
  await ensemble.freezeLinksFrom(follower);

  const told = await toldInTime;
  expect(told).toEqual(told.map(() => true));
}, 120_000);
