import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nestjs-zk-lock';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConnections } from 'zk-locks/events';
import { useTestApps } from '../nest/support/test-apps.js';
import { InspectClient } from '../support/inspect-client.js';
import { refusedWithHolders } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { openMetrics } from './support/open-metrics.js';
import { recordEvents } from './support/record-events.js';
import { scrape } from './support/scrape.js';

const apps = useTestApps();
const EVERY_MS = 60_000;

// The replicas' clocks are stopped, so that all times are ZooKeeper's.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));
afterEach(() => void vi.useRealTimers());

/** Two replicas with a job, which report to one registry. */
async function openReplicas() {
  const registry = new Registry();
  let work = (): Promise<void> => Promise.resolve();
  @Injectable()
  class Jobs {
    @Locked('billing', { atMostEveryMs: EVERY_MS, timeoutMs: 30_000, onBusy: 'skip' })
    async bill(): Promise<void> {
      await work();
    }
  }
  const imports = () => [ZkLockPrometheusModule.forRoot({ registry }), apps.zkLock()];
  const replicas = [
    await apps.start({ imports: imports(), providers: [Jobs] }),
    await apps.start({ imports: imports(), providers: [Jobs] }),
  ];
  const record = `${apps.root}-runs/billing`;
  return {
    registry,
    locks: replicas[0]!.get(LockService),
    jobs: replicas.map((app) => app.get(Jobs)) as [Jobs, Jobs],
    runs: (next: () => Promise<void>) => void (work = next),
    /** Makes the latest run appear earlier, on the same leader's clock. */
    age: async (ms: number): Promise<void> => {
      await using inspector = await InspectClient.connect(sharedServer().connectString);
      const last = JSON.parse((await inspector.get(record)).data.toString()) as {
        askedAt: number;
      };
      const aged = { ...last, guid: `${ms}`, askedAt: last.askedAt - ms };
      await inspector.set(record, JSON.stringify(aged));
    },
  };
}

@Injectable()
class IdleJobs {
  @Locked('billing', { atMostEveryMs: EVERY_MS, connection: 'idle' })
  async bill(): Promise<void> {}
}

const CALLS = 'zk_lock_job_calls_total{connection="default",pattern="billing"';

it('reports the result of each call of a job, and counts results in place of grants', async () => {
  const events = recordEvents();
  const { registry, jobs, runs, age, locks } = await openReplicas();
  const [one, other] = jobs;
  for (const job of [one, other, one, other]) await job.bill();
  await age(EVERY_MS);
  runs(() => Promise.reject(new Error('of the job')));
  await expect(other.bill()).rejects.toThrow('of the job');
  await age(EVERY_MS);
  runs(async () => {
    await apps.deleteLockNodes('billing');
    await waitFor(() => locks.currentLock('billing').signal.aborted, { what: 'the loss' });
  });
  await expect(one.bill()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  const holder = await apps.replica();
  const held = await holder.acquire('billing');
  await refusedWithHolders(() =>
    locks.runAtMostEvery('billing', EVERY_MS, { timeoutMs: 1_000 }, () => undefined),
  );
  await held.release();

  const told = events.of('job');
  expect(told.slice(0, 6).map(({ result }) => result)).toEqual([
    ...['ran', 'not_due', 'not_due', 'not_due', 'failed', 'lost'],
  ]);
  expect(told.at(-1)).toMatchObject({ result: 'busy' });
  // On a busy machine, it takes more than one call to time out with the lock known to be held.
  const calls = (of: string): number => told.slice(6).filter(({ result }) => result === of).length;
  const [busy, unavailable] = [calls('busy'), calls('failed')];
  const [ran, notDue, , , failed, lost] = told;
  const call = { connection: 'default', key: 'billing', pattern: 'billing', everyMs: EVERY_MS };
  expect(ran).toMatchObject({ ...call, error: undefined, lastRun: { outcome: 'done' } });
  expect(notDue!.lastRun).toEqual(ran!.lastRun);
  expect(+ran!.lastRun!.nextDue - +ran!.lastRun!.since).toBe(EVERY_MS);
  expect(failed).toMatchObject({
    error: { message: 'of the job' },
    lastRun: { outcome: 'failed' },
  });
  // Its outcome could not be recorded.
  expect(lost!.lastRun).toEqual(await locks.lastRun('billing'));
  expect(lost!.lastRun).toMatchObject({ outcome: 'running', until: undefined });

  const lines = await scrape(registry);
  const counted = { ran: 1, not_due: 3, failed: 1 + unavailable, lost: 1, busy };
  for (const [result, count] of Object.entries(counted)) {
    expect(lines).toContain(`${CALLS},result="${result}"} ${count}`);
  }
  const acquires = lines.filter((line) => line.startsWith('zk_lock_acquires_total'));
  expect(acquires.filter((line) => !line.includes('pattern=""'))).toEqual([]);
  const known = readConnections().flatMap(({ jobs }) => jobs.map(({ results }) => results));
  expect(known).toContainEqual({ ran: 1, not_due: 1, busy, failed: unavailable, lost: 1 });
});

/** The value of a gauge. */
function valueOf(lines: readonly string[], name: string): number {
  const line = lines.find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1));
}

const labels = 'connection="default",pattern="billing"';

/** Evaluates the expression of the alert ZkLockJobDidNotRun. */
async function isMissing(registry: Registry, nowS: number): Promise<boolean> {
  const lines = await scrape(registry);
  const interval = valueOf(lines, `zk_lock_job_interval_seconds{${labels}}`);
  const times = lines
    .filter((line) => line.startsWith(`zk_lock_job_last_run_timestamp_seconds{${labels}`))
    .map((line) => Number(line.split(' ').at(-1)));
  const knownSince = valueOf(lines, `zk_lock_job_known_since_timestamp_seconds{${labels}}`);
  const last = times.length > 0 ? Math.max(...times) : knownSince;
  return nowS - last > 2 * interval;
}

it('counts as missed two intervals after the start of a process if it has never run, even if nothing calls it', async () => {
  const { registry } = await openReplicas();
  expect([await isMissing(registry, 119), await isMissing(registry, 121)]).toEqual([false, true]);
});

it('has gauges for the time of the last run by outcome and for the interval, which reveal a missing run', async () => {
  const { registry, jobs, runs, age } = await openReplicas();
  const [one, other] = jobs;
  const lastRun = async (outcome: string): Promise<number> =>
    valueOf(
      await scrape(registry),
      `zk_lock_job_last_run_timestamp_seconds{${labels},outcome="${outcome}"}`,
    );

  await one.bill();
  const ranAt = await lastRun('done');
  expect(ranAt).toBeGreaterThan(1_700_000_000);
  expect([await isMissing(registry, ranAt + 119), await isMissing(registry, ranAt + 121)]).toEqual([
    false,
    true,
  ]);
  // The other replica has not run the job, and learns by its own call when it ran.
  await other.bill();
  expect(await lastRun('done')).toBe(ranAt);
  await age(2 * EVERY_MS);
  runs(() => Promise.reject(new Error('of the job')));
  await expect(other.bill()).rejects.toThrow('of the job');
  const failedAt = await lastRun('failed');
  expect(failedAt).toBeGreaterThanOrEqual(ranAt);
  expect(await isMissing(registry, ranAt + 119)).toBe(false);
});

it('is known from the start of an application, even if nothing calls it', async () => {
  const { jobs, locks } = await openReplicas();
  await jobs[0].bill();
  const { since } = (await locks.lastRun('billing'))!;
  const later = new Registry();
  await apps.start({
    imports: [ZkLockPrometheusModule.forRoot({ registry: later }), apps.zkLock({ name: 'idle' })],
    providers: [IdleJobs],
  });
  const line = `zk_lock_job_last_run_timestamp_seconds{connection="idle",pattern="billing",outcome="done"} ${+since / 1_000}`;
  await waitFor(async () => (await scrape(later)).includes(line), { what: 'the last run' });
});

it('is also measured by OpenTelemetry', async () => {
  const { meterProvider, read } = openMetrics();
  const module = ZkLockOpenTelemetryModule.forRoot({ tracerProvider: false, meterProvider });
  const locks = (await apps.start({ imports: [module, apps.zkLock()] })).get(LockService);
  for (let call = 0; call < 3; call++) {
    await locks.runAtMostEvery('billing', EVERY_MS, () => undefined);
  }
  const lines = await read();
  const labels = 'connection=default,pattern=billing';
  const seconds = (await locks.lastRun('billing'))!.since.getTime() / 1_000;
  for (const line of [
    `zk_lock.job.calls{${labels},result=not_due} 2`,
    `zk_lock.job.calls{${labels},result=ran} 1`,
    `zk_lock.job.intervals{${labels}} ${EVERY_MS / 1_000}`,
    `zk_lock.job.last_run.timestamps{${labels},outcome=done} ${seconds}`,
  ]) {
    expect(lines).toContain(line);
  }
  expect(lines.filter((line) => line.startsWith('zk_lock.acquires'))).toEqual([]);
});
