import { channel } from 'node:diagnostics_channel';
import { context, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { LockService } from 'nestjs-zk-lock';
import { LOCK_CHANNELS } from 'nestjs-zk-lock/events';
import { ZkLockOpenTelemetryModule } from 'nestjs-zk-lock/opentelemetry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { openMetrics } from './support/open-metrics.js';
import { openTracing } from './support/open-tracing.js';

const apps = useTestApps();

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

it('creates sibling spans for waits and holds below the caller’s span', async () => {
  const { tracerProvider, exporter, named } = openTracing();
  const app = await apps.start({
    imports: [
      ZkLockOpenTelemetryModule.forRoot({ tracerProvider, meterProvider: false }),
      apps.zkLock(),
    ],
  });
  const locks = app.get(LockService);
  await tracerProvider.getTracer('test').startActiveSpan('request', async (request) => {
    await locks.withLock('order:7', { pattern: 'order:{id}', label: 'ship' }, () => undefined);
    request.end();
  });
  const [request] = named('request');
  const [wait] = named('zk_lock wait order:{id}');
  const [hold] = named('zk_lock hold order:{id}');
  const call = {
    'zk_lock.connection': 'default',
    'zk_lock.kind': 'lock',
    'zk_lock.mode': 'write',
    'zk_lock.pattern': 'order:{id}',
    'zk_lock.label': 'ship',
  };
  expect(wait!.attributes).toEqual({ ...call, 'zk_lock.result': 'granted' });
  expect(hold!.attributes).toEqual({
    ...call,
    'zk_lock.result': 'released',
    'zk_lock.fencing_token': expect.stringMatching(/^\d+$/) as string,
  });
  for (const span of [wait!, hold!]) {
    expect(span.parentSpanContext?.spanId).toBe(request!.spanContext().spanId);
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  }
  expect(exporter.getFinishedSpans()).toHaveLength(3);
});

it('reports the same measurements as to Prometheus, without keys', async () => {
  const { meterProvider, read } = openMetrics();
  const module = ZkLockOpenTelemetryModule.forRoot({ tracerProvider: false, meterProvider });
  const app = await apps.start({ imports: [module, apps.zkLock()] });
  // Another application in this process, which reports to the same provider.
  const other = await apps.start({ imports: [module, apps.zkLock()] });
  const locks = app.get(LockService);
  const lock = await locks.acquire('order:7', { pattern: 'order:{id}' });
  expect(await locks.tryAcquire('order:7')).toBeNull();
  const meanwhile = await read();
  expect(meanwhile).toContain('zk_lock.held{connection=default} 1');
  expect(meanwhile).toContain('zk_lock.waiters{connection=default} 0');
  expect(meanwhile).toContain('zk_lock.session.state{connection=default,state=connected} 2');
  expect(meanwhile).toContain('zk_lock.session.state{connection=default,state=suspended} 0');
  await lock.release();
  const lines = await read();
  const call = 'connection=default,kind=lock,mode=write';
  expect(lines).toContain(`zk_lock.acquires{${call},pattern=order:{id},result=granted} 1`);
  expect(lines).toContain(`zk_lock.acquires{${call},pattern=,result=busy} 1`);
  expect(lines).toContain(`zk_lock.waits{${call},pattern=order:{id}} 1`);
  expect(lines).toContain(`zk_lock.holds{${call},pattern=order:{id}} 1`);
  expect(lines.filter((line) => line.includes('order:7'))).toEqual([]);
  await app.close();
  await other.close();
  const { waitEnd, holdEnd, session } = LOCK_CHANNELS;
  for (const name of [waitEnd, holdEnd, session]) {
    expect(channel(name).hasSubscribers).toBe(false);
  }
});
