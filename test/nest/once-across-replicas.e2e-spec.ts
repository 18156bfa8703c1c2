import { describe, expect, it } from 'vitest';
import { CronWorker } from '../support/cron-worker.js';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

const EVERY_SECONDS = 3;

/** Far more than the clocks differ, so that a busy machine does not add to that what is missing. */
const MIN_HOLD_MS = 2_000;

/** The job takes a few milliseconds: it is over before the next replica's clock shows its time. */
const CLOCKS_LATE_BY_MS = [0, 150, 300];

async function openReplicas(minHoldMs: number): Promise<readonly CronWorker[]> {
  const zkLock = { servers: sharedServer().connectString, root: ownRoot() };
  return Promise.all(
    CLOCKS_LATE_BY_MS.map((lateMs) =>
      CronWorker.open({ zkLock, everySeconds: EVERY_SECONDS, minHoldMs, lateMs }),
    ),
  );
}

/** The times of the job at which it was due in every replica. */
function sharedTicks(replicas: readonly CronWorker[]): number[] {
  const [first, ...others] = replicas;
  return (first?.due ?? []).filter((tick) => others.every(({ due }) => due.includes(tick)));
}

const runsAt = (replicas: readonly CronWorker[], tick: number): number =>
  replicas.flatMap(({ ran }) => ran).filter((each) => each === tick).length;

describe('a @Cron() job in three replicas whose clocks differ', () => {
  it('runs once each time with minHoldMs', { timeout: 60_000 }, async () => {
    const replicas = await openReplicas(MIN_HOLD_MS);
    const ticks = await waitFor(
      () => {
        const shared = sharedTicks(replicas);
        // Of the last one, some replica may not have been answered yet.
        return shared.length > 3 && shared.slice(0, -1);
      },
      { what: 'the job to be due in all replicas', timeoutMs: 40_000 },
    );
    expect(ticks.map((tick) => runsAt(replicas, tick))).toEqual(ticks.map(() => 1));
  });

  it('runs more often without it', { timeout: 60_000 }, async () => {
    const replicas = await openReplicas(0);
    const isRepeated = (tick: number): boolean => runsAt(replicas, tick) > 1;
    await waitFor(() => sharedTicks(replicas).some(isRepeated), {
      what: 'more than one run at the same time of the job',
      timeoutMs: 40_000,
    });
  });
});
