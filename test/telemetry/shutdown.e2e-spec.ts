import { channel } from 'node:diagnostics_channel';
import type { INestApplication } from '@nestjs/common';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { LockService } from 'nestjs-zk-lock';
import { LOCK_CHANNELS } from 'nestjs-zk-lock/events';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';
import { ZkLockPrometheusModule } from 'nestjs-zk-lock/prometheus';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { Gate } from '../nest/support/gate.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { scrape } from './support/scrape.js';

const apps = useTestApps();

const isHeard = (): boolean =>
  [LOCK_CHANNELS.waitEnd, LOCK_CHANNELS.holdEnd, LOCK_CHANNELS.session].some(
    (name) => channel(name).hasSubscribers,
  );

async function startObserved(isGlobal: boolean, shutdownGraceMs: number) {
  const registry = new Registry();
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const tracerProvider = new BasicTracerProvider({ spanProcessors });
  onTestFinished(() => tracerProvider.shutdown());
  const app: INestApplication = await apps.start({
    imports: [
      ZkLockPrometheusModule.forRoot({ registry }),
      ZkLockOpenTelemetryModule.forRoot({ tracerProvider, meterProvider: false }),
      apps.zkLock({ isGlobal, shutdownGraceMs }),
    ],
  });
  const holds = (): unknown[] =>
    exporter
      .getFinishedSpans()
      .filter(({ name }) => name.startsWith('zk_lock hold'))
      .map(({ attributes }) => attributes['zk_lock.result']);
  return { app, locks: app.get(LockService), registry, holds };
}

const CALL = 'connection="default",kind="lock",mode="write",pattern=""';

it.each([true, false])(
  'counts what is released while the application shuts down, with isGlobal: %s',
  async (isGlobal) => {
    const { app, locks, registry, holds } = await startObserved(isGlobal, 10_000);
    const gate = new Gate();
    const held = locks.withLock('key', () => gate.pass());
    await waitFor(() => locks.counts.held === 1, { what: 'the lock' });

    const closed = app.close();
    await waitFor(() => locks.closing.aborted, { what: 'new locks to be refused' });
    gate.open();
    await held;
    await closed;

    expect(await scrape(registry)).toContain(`zk_lock_hold_seconds_count{${CALL}} 1`);
    expect(holds()).toEqual(['released']);
    expect(isHeard()).toBe(false);
  },
);
