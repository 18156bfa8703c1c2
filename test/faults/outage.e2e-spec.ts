import { ConsoleLogger, Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Locked, LockService, ZkLockModule } from 'nestjs-zk-lock';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { endsWithin } from '../support/ends-within.js';
import { openLocks, ownRoot } from '../support/locks.js';
import { onThisMachine, threadCpuMs } from '../support/loop-meter.js';
import { openProxy } from '../support/open-proxy.js';
import { openServer } from '../support/open-servers.js';
import { waitFor } from '../support/wait-for.js';

/** This job is only started manually. */
const NEVER = '0 0 1 1 *';
const LONG = { timeoutMs: 120_000 };

interface Outage {
  readonly servers: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

async function serverThatStops(): Promise<Outage> {
  const server = await openServer();
  return {
    servers: server.connectString,
    begin: () => server.halt(),
    end: () => server.restart(),
  };
}

async function networkThatFails(): Promise<Outage> {
  const proxy = await openProxy();
  return {
    servers: proxy.connectString,
    begin: async () => {
      await proxy.refuse();
      await proxy.cut();
    },
    end: () => proxy.accept(),
  };
}

/** An application with its own root, and everything that it logs. */
async function openApp({ servers, begin, end }: Outage) {
  const ran: string[] = [];
  @Injectable()
  class Jobs {
    @Cron(NEVER, { name: 'tried' })
    @Locked('tried', { onBusy: 'skip' })
    async tried(): Promise<void> {
      ran.push('tried');
      return Promise.resolve();
    }

    @Locked('waits', { onBusy: 'skip', ...LONG })
    async waits(): Promise<void> {
      ran.push('waits');
      return Promise.resolve();
    }

    @Locked('job', { atMostEveryMs: 60_000, ...LONG })
    async job(): Promise<void> {
      ran.push('job');
      return Promise.resolve();
    }
  }
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  onTestFinished(() => void vi.restoreAllMocks());
  const zkLock = ZkLockModule.forRoot({
    ...{ servers, root: `${ownRoot()}/locks` },
    // The session outlives a restart on a busy machine.
    ...{ sessionTimeoutMs: 40_000, tickTimeMs: 500 },
  });
  class AppModule {}
  const app = await NestFactory.createApplicationContext(
    { module: AppModule, imports: [ScheduleModule.forRoot(), zkLock], providers: [Jobs] },
    { logger: new ConsoleLogger({ colors: false }) },
  );
  onTestFinished(() => app.close());
  await app.init();
  const locks = app.get(LockService);
  const isConnected = (): boolean => locks.session.snapshot.state.name === 'connected';
  return {
    ...{ locks, ran, written, jobs: app.get(Jobs) },
    fire: () => app.get(SchedulerRegistry).getCronJob('tried').fireOnTick(),
    goAway: async () => {
      await begin();
      await waitFor(() => !isConnected(), { what: 'the outage' });
    },
    comeBack: async () => {
      await end();
      await waitFor(isConnected, { what: 'the connection' });
    },
  };
}

it('is one warning at its beginning and one line at its end with the number of refused calls', async () => {
  const { goAway, comeBack, fire, ran, written } = await openApp(await serverThatStops());
  const from = written.length;
  await goAway();
  const lines = (): string[] => written.slice(from).join('').split('\n');
  const withText = (text: string): string[] => lines().filter((line) => line.includes(text));
  await waitFor(() => withText('ECONNREFUSED').length > 0, { what: 'the reason' });
  const CALLS = 12;
  for (let call = 0; call < CALLS; call++) await fire();
  await waitFor(() => withText('ZooKeeperUnavailableError').length === CALLS, {
    what: 'the scheduler to log each call',
  });
  await comeBack();
  await waitFor(() => withText('were refused').length === 1, { what: 'the end to be told' });

  expect(withText(' WARN ')).toEqual([expect.stringContaining('Lost the connection')]);
  expect(withText('were refused')).toEqual([
    expect.stringMatching(
      / LOG \[LockService\] ZooKeeper could not be reached for [\d.]+ m?s: 12 calls were refused\.$/,
    ),
  ]);
  expect(ran).toEqual([]);
  // Logs the reason once for each call, without the stacks of its causes.
  expect(withText('[cause]')).toHaveLength(CALLS);
  expect(withText("code: 'ZK_UNAVAILABLE', [cause]: Error: connect ECONNREFUSED")).toHaveLength(
    CALLS,
  );
  expect(withText('TCPConnectWrap')).toEqual([]);
  expect(withText('ZooKeeperError:')).toEqual([]);
  expect(withText('node_modules')).toEqual([]);
});

it('leaves one call of a job or of an `onBusy` method waiting, so that they do not all run at its end', async () => {
  const { goAway, comeBack, jobs, ran, locks, written } = await openApp(await networkThatFails());
  await goAway();
  const waiting = [1, 2, 3, 4].flatMap(() => [jobs.waits(), jobs.job()]);
  const direct = locks.runAtMostEvery('job', 60_000, LONG, () => 'ran');
  await waitFor(() => locks.counts.skipped === 3, { what: 'the others to be skipped' });
  // One call of each kind, and the job's calls that share the result of another one.
  expect(locks.counts.waiting).toBe(6);
  expect(written.join('')).toContain('already waiting for ZooKeeper, to lock "waits".');
  await comeBack();
  await Promise.all(waiting);
  expect(ran.toSorted()).toEqual(['job', 'waits']);
  expect(await direct).toMatchObject({ ran: false, last: { everyMs: 60_000 } });
  // Three of the job's calls were not due.
  expect(locks.counts.skipped).toBe(6);
  await jobs.waits();
  expect(ran).toHaveLength(3);
});

it('lets the next call of a job wait if the first one gives up', async () => {
  const { goAway, comeBack, locks } = await openApp(await networkThatFails());
  await goAway();
  const first = locks.runAtMostEvery('job', 60_000, { timeoutMs: 300 }, () => 'first');
  const second = locks.runAtMostEvery('job', 60_000, LONG, () => 'second');
  const third = locks.runAtMostEvery('job', 60_000, { timeoutMs: 200 }, () => 'third');
  const unavailable = { status: 'rejected', reason: { code: 'ZK_UNAVAILABLE' } };
  expect(await Promise.allSettled([first, third])).toMatchObject([unavailable, unavailable]);
  await comeBack();
  expect(await second).toEqual({ ran: true, result: 'second' });
});

it('ends all calls of a job at once when the application begins to shut down', async () => {
  const { goAway, comeBack, locks } = await openApp(await networkThatFails());
  await goAway();
  const calls = [1, 2, 3].map(() => locks.runAtMostEvery('job', 60_000, LONG, () => 'ran'));
  const ended = Promise.allSettled(calls);
  await nextTurn();
  // Calls that are made now wait for up to 5 s.
  const atOnce = endsWithin(4_000, ended);
  locks.beforeApplicationShutdown();
  expect(await atOnce).toBe(true);
  for (const end of await ended) expect(end).toMatchObject({ reason: { code: 'ZK_CLOSED' } });
  await comeBack();
});

it('ends thousands of calls of a job without waking all the others at each end', async () => {
  const { servers, begin, end } = await networkThatFails();
  const maxWaiting = { perKey: Infinity };
  const locks = await openLocks({
    servers,
    root: ownRoot(),
    failFastAfterMs: 2_000,
    maxWaiting,
  });
  await begin();
  await waitFor(() => locks.session.snapshot.state.name !== 'connected', { what: 'the outage' });
  const calls = Array.from({ length: 2_000 }, () => locks.runAtMostEvery('job', 60_000, () => 0));
  const before = threadCpuMs();
  const ended = await Promise.allSettled(calls);
  const tookMs = threadCpuMs() - before;
  await end();
  for (const one of ended) expect(one).toMatchObject({ reason: { code: 'ZK_UNAVAILABLE' } });
  expect(tookMs).toBeLessThan(onThisMachine(2_000));
});

it('does not take the result of one call of a job for another call with a shorter period', async () => {
  const { goAway, comeBack, locks } = await openApp(await networkThatFails());
  await locks.runAtMostEvery('job', 60_000, () => 'before');
  await goAway();
  const seldom = locks.runAtMostEvery('job', 60_000, LONG, () => 'seldom');
  const often = locks.runAtMostEvery('job', 1, LONG, () => 'often');
  await comeBack();
  expect(await often).toEqual({ ran: true, result: 'often' });
  // Either call may have come first.
  expect(await seldom).toMatchObject({ ran: false });
});
