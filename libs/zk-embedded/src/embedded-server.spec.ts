import { setImmediate } from 'node:timers/promises';
import { OpCode } from 'zk-protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WireClient } from '../../../test/support/wire-client.js';
import { EmbeddedServer } from './embedded-server.js';
import type { EmbeddedZooKeeperOptions } from './options.js';

const TICK_MS = 1_000;

async function start(options: EmbeddedZooKeeperOptions = {}): Promise<EmbeddedServer> {
  const server = await EmbeddedServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

function fakeTime(): void {
  const timers = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  vi.useFakeTimers({ toFake: [...timers, 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

async function openSession(server: EmbeddedServer): Promise<void> {
  const client = await WireClient.connect(server.port, { timeOut: 2 * TICK_MS });
  onTestFinished(() => client.drop());
}

async function untilExpired(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

it('ends a session that was overdue at a pause only when it is resumed', async () => {
  fakeTime();
  const server = await start({ tickTimeMs: TICK_MS });
  await openSession(server);
  vi.advanceTimersByTime(4 * TICK_MS);
  server.pause();
  await untilExpired();
  expect(server.sessions()).toHaveLength(1);
  server.resume();
  vi.advanceTimersByTime(TICK_MS);
  await untilExpired();
  expect(server.sessions()).toEqual([]);
});

it('ends a session at the end of its tick, whenever the server was started', async () => {
  fakeTime();
  vi.advanceTimersByTime(TICK_MS / 2);
  const server = await start({ tickTimeMs: TICK_MS });
  await openSession(server);
  vi.advanceTimersByTime(2.5 * TICK_MS - 1);
  await untilExpired();
  expect(server.sessions()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await untilExpired();
  expect(server.sessions()).toEqual([]);
});

describe('calls that overlap', () => {
  it('stops after a restart that has begun before', async () => {
    const server = await start();
    await Promise.all([server.restart(), server.stop()]);
    expect(() => server.sessions()).toThrow('this server is halted');
  });

  it('restarts twice with the same sessions', async () => {
    const server = await start();
    await openSession(server);
    await Promise.all([server.restart({ keep: true }), server.restart({ keep: true })]);
    expect(server.sessions()).toHaveLength(1);
  });
});

it('restarts with a shortest session that is longer than the longest by default', async () => {
  const server = await start({ tickTimeMs: 10 });
  await server.restart({ minSessionTimeoutMs: 2 * TICK_MS });
  await openSession(server);
  expect(server.sessions()).toMatchObject([{ timeoutMs: 2 * TICK_MS }]);
});

it('knows an IPv4 client by its IPv4 address if it listens on IPv6', async () => {
  const server = await start({ host: '::' }).catch((error: unknown) => error);
  // Not every machine has IPv6.
  if (!(server instanceof EmbeddedServer)) {
    expect((server as NodeJS.ErrnoException).code).toMatch(/^(EADDRNOTAVAIL|EAFNOSUPPORT)$/);
    return;
  }
  const client = await WireClient.connect(server.port);
  onTestFinished(() => client.drop());
  const { body } = await client.ask(OpCode.whoAmI, undefined);
  expect(body?.clientInfo).toEqual([{ authScheme: 'ip', user: '127.0.0.1' }]);
});
