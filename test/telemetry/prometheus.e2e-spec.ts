import { channel } from 'node:diagnostics_channel';
import { LockService, type ZkLockError, ZkLockModule } from 'nestjs-zk-lock';
import { LOCK_CHANNELS } from 'nestjs-zk-lock/events';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { register, Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { Gate } from '../nest/support/gate.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { refusedWithHolders } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { openTracing } from './support/open-tracing.js';
import { scrape } from './support/scrape.js';

const apps = useTestApps();

const isHeard = (): boolean =>
  [LOCK_CHANNELS.waitEnd, LOCK_CHANNELS.holdEnd, LOCK_CHANNELS.session].some(
    (name) => channel(name).hasSubscribers,
  );

it('counts and measures what an application locks, from its start to its end', async () => {
  const registry = new Registry();
  const app = await apps.start({
    imports: [ZkLockPrometheusModule.forRoot({ registry }), apps.zkLock({ name: 'orders' })],
  });
  const locks = app.get<LockService>('LockService:orders');
  const others = await apps.replica();
  const rival = await others.acquire('order:7');
  expect(await locks.tryAcquire('order:7')).toBeNull();
  const refusals: string[] = [];
  await refusedWithHolders(() =>
    locks
      .acquire('order:7', { timeoutMs: 1_000, pattern: 'order:{id}' })
      .catch((error: unknown) => {
        refusals.push((error as ZkLockError).code);
        throw error;
      }),
  );
  // On a busy machine, it takes more than one call to time out with the lock known to be held.
  const timeouts = refusals.filter((code) => code === 'LOCK_TIMEOUT').length;
  const waiting = locks.acquire('order:7', { pattern: 'order:{id}' });
  await apps.untilQueued(2);
  const meanwhile = await scrape(registry);
  expect(meanwhile).toContain('zk_lock_waiters{connection="orders"} 1');
  expect(meanwhile).toContain('zk_lock_held{connection="orders"} 0');
  expect(meanwhile).toContain('zk_lock_held{connection="default"} 1');
  await rival.release();
  const lock = await waiting;
  expect(await scrape(registry)).toContain('zk_lock_held{connection="orders"} 1');
  await lock.release();

  const lines = await scrape(registry);
  const call = 'connection="orders",kind="lock",mode="write"';
  const order = `${call},pattern="order:{id}"`;
  expect(lines).toContain(`zk_lock_acquires_total{${order},result="granted"} 1`);
  expect(lines).toContain(`zk_lock_acquires_total{${order},result="timeout"} ${timeouts}`);
  expect(lines).toContain(`zk_lock_acquires_total{${call},pattern="",result="busy"} 1`);
  expect(lines).toContain(`zk_lock_wait_seconds_count{${order}} ${refusals.length + 1}`);
  expect(lines).toContain(`zk_lock_hold_seconds_count{${order}} 1`);
  expect(lines.filter((line) => line.includes('order:7'))).toEqual([]);
  expect(
    lines.filter((line) => /^zk_lock_wait_.*pattern=""/.test(line) && line.includes('orders')),
  ).toEqual([]);
  const sum = lines.find((line) => line.startsWith(`zk_lock_wait_seconds_sum{${order}}`))!;
  const seconds = Number(sum.split(' ').at(-1));
  expect(seconds).toBeGreaterThan(0.9);
  expect(seconds).toBeLessThan(30);
  await app.close();
  expect(isHeard()).toBe(false);
  expect(await scrape(registry)).not.toContain('zk_lock_held{connection="orders"} 0');
});

it('counts once for one registry, however often it is started, and until the last stop', async () => {
  register.clear();
  onTestFinished(() => register.clear());
  const module = ZkLockPrometheusModule.forRoot();
  const first = await apps.start({ imports: [module, apps.zkLock()] });
  const second = await apps.start({ imports: [module, apps.zkLock()] });
  const locks = second.get(LockService);
  await locks.withLock('k', () => undefined);
  await first.close();
  await locks.withLock('k', () => undefined);
  const counted = (await scrape(register)).filter((line) => line.startsWith('zk_lock_acquires'));
  expect(counted).toEqual([expect.stringMatching(/result="granted"\} 2$/)]);
  await second.close();
  expect(isHeard()).toBe(false);
  const third = await apps.start({ imports: [module, apps.zkLock()] });
  await third.get(LockService).withLock('k', () => undefined);
  expect(await scrape(register)).toContainEqual(
    expect.stringMatching(/^zk_lock_acquires_total.*result="granted"\} 3$/),
  );
});

it.each([true, false])(
  'counts releases during the shutdown of the application, as spans do, with isGlobal: %s',
  async (isGlobal) => {
    const registry = new Registry();
    const { tracerProvider, exporter } = openTracing();
    const app = await apps.start({
      imports: [
        ZkLockPrometheusModule.forRoot({ registry }),
        ZkLockOpenTelemetryModule.forRoot({ tracerProvider, meterProvider: false }),
        apps.zkLock({ isGlobal, shutdownGraceMs: 10_000 }),
      ],
    });
    const locks = app.get(LockService);
    const gate = new Gate();
    const held = locks.withLock('key', () => gate.pass());
    await waitFor(() => locks.counts.held === 1, { what: 'the lock' });
    const closed = app.close();
    await waitFor(() => locks.closing.aborted, { what: 'new locks to be refused' });
    gate.open();
    await held;
    await closed;
    const call = 'connection="default",kind="lock",mode="write",pattern=""';
    expect(await scrape(registry)).toContain(`zk_lock_hold_seconds_count{${call}} 1`);
    const holds = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('zk_lock hold'));
    expect(holds).toMatchObject([{ attributes: { 'zk_lock.result': 'released' } }]);
    expect(isHeard()).toBe(false);
  },
);

it('counts the first term of an election that is joined before the application starts, as spans do', async () => {
  const registry = new Registry();
  const { tracerProvider, named } = openTracing();
  const app = await apps.start({
    imports: [
      ZkLockPrometheusModule.forRoot({ registry }),
      ZkLockOpenTelemetryModule.forRoot({ tracerProvider, meterProvider: false }),
      apps.zkLock(),
      ZkLockModule.forFeature({ elections: ['reports'] }),
    ],
  });
  await app.get(LockService).election('reports').whenLeader();
  await apps.deleteLockNodes('reports');
  const term = 'connection="default",kind="election",mode="write",pattern="reports"';
  await waitFor(
    async () =>
      (await scrape(registry)).includes(`zk_lock_lost_total{${term},reason="node-deleted"} 1`),
    { what: 'the loss to be counted' },
  );
  expect(named('zk_lock hold reports')).toMatchObject([
    { attributes: { 'zk_lock.result': 'lost' } },
  ]);
});
