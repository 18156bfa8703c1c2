import { expect, it } from 'vitest';
import { openLocks, type TestLocks } from '../../support/locks.js';
import { openLinkedEnsemble } from '../../support/open-servers.js';
import { waitFor } from '../../support/wait-for.js';
import { contest } from '../../support/contest.js';

const SESSION = { sessionTimeoutMs: 12_000, tickTimeMs: 500 };
const READS_MS = 3_000;

async function untilHeartbeat({ session }: TestLocks): Promise<void> {
  const before = session.snapshot.lastRoundTripMs;
  const isAnswered = (): boolean => session.snapshot.lastRoundTripMs !== before;
  await waitFor(isAnswered, { what: 'a heartbeat', timeoutMs: 60_000 });
}

/**
 * A leader that stalls sends no pings, so its followers report no sessions. A write that reaches
 * its socket during the stall is committed when it resumes, although nothing that the follower has
 * received since the stall began was or will be reported.
 */
it('tells a holder in time if its follower could not report because its leader stalled', async () => {
  const ensemble = await openLinkedEnsemble({ maxSessionTimeoutMs: 40_000 });
  const [first, second] = await ensemble.servers.followers();
  const leader = await ensemble.servers.leader();
  const holders = await openLocks({ ...SESSION, servers: first!.connectString });
  const calm = { ...SESSION, sessionTimeoutMs: 40_000 };
  const waiters = await openLocks({ ...calm, servers: second!.connectString });
  const lock = await holders.acquire('k');
  await using _other = await waiters.acquire('other', { mode: 'read' });
  const { toldInTime } = await contest(lock, waiters);

  await untilHeartbeat(holders);
  await leader.pause();
  try {
    const until = performance.now() + READS_MS;
    let reads = 0;
    const reading = (): boolean => {
      // After a heartbeat that the leader does not answer, reads are not answered either.
      void holders.inspect('k').then(
        () => reads++,
        () => undefined,
      );
      return performance.now() > until;
    };
    await waitFor(reading, { what: 'the reads', intervalMs: 100 });
    expect(reads).toBeGreaterThan(1);
    const sent = await ensemble.bytesFrom(first!);
    const proof = holders.acquire('other', { mode: 'read' });
    const isForwarded = async (): Promise<boolean> => (await ensemble.bytesFrom(first!)) > sent;
    await waitFor(isForwarded, { what: 'the create to be forwarded' });
    await ensemble.freezeReportsFrom(first!);
    leader.resume();
    await proof;
  } finally {
    leader.resume();
  }

  await toldInTime();
}, 120_000);
