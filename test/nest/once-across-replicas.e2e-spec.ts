import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { LockService } from 'nestjs-zk-lock';
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { CronWorker } from '../support/cron-worker.js';
import { codeIn } from '../support/documentation.js';
import { ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { ReportService, Reports } from './examples/report.service.js';
import { useTestApps } from './support/test-apps.js';

const EVERY_SECONDS = 3;

/** More than the clocks differ, and a replica may be late beside that (1 s). */
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
        return shared.length > 2 && shared.slice(0, -1);
      },
      { what: 'the job to be due in all replicas', timeoutMs: 40_000 },
    );
    expect(ticks.map((tick) => runsAt(replicas, tick))).toEqual(ticks.map(() => 1));
  });
});

describe('docs/nest.md', () => {
  const apps = useTestApps();
  const url = (path: string): URL => new URL(path, import.meta.url);

  it('shows the example as it is tested here', () => {
    const example = readFileSync(url('examples/report.service.ts'), 'utf8');
    expect(codeIn(url('../../docs/nest.md'))).toContain(example);
  });

  it('has an example that runs in one replica, and is skipped in the other', async () => {
    const make = vi.fn(async (_signal: AbortSignal) => Promise.resolve());
    const providers = [ReportService, { provide: Reports, useValue: { make } }];
    const imports = [ScheduleModule.forRoot(), apps.zkLock()];
    const first = await apps.start({ imports, providers });
    const second = await apps.start({ imports, providers });
    await first.get(SchedulerRegistry).getCronJob('report').fireOnTick();
    await waitFor(() => make.mock.calls.length === 1, { what: 'the report to be made' });
    await second.get(SchedulerRegistry).getCronJob('report').fireOnTick();
    await waitFor(() => second.get(LockService).counts.skipped === 1, { what: 'it to be skipped' });
    expect(make).toHaveBeenCalledOnce();
  });
});
