import { type INestApplicationContext, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ZkLockModule } from 'nestjs-zk-lock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** No server listens there; `lazy` starts without it. */
const connection = { servers: '127.0.0.1:1', lazy: true, client: 'wire' } as const;

@Module({
  imports: [ZkLockModule.forRoot(connection), ZkLockModule.forRoot({ ...connection, name: 'b' })],
})
class AppModule {}

const signals = ['SIGTERM', 'SIGINT'] as const;
const WARNING = /listens for SIGTERM or SIGINT.* Call app\.enableShutdownHooks\(/;

let warnings: string[];
let apps: INestApplicationContext[];
let ofTheRunner: (readonly [NodeJS.Signals, NodeJS.SignalsListener])[];

const logger: LoggerService = {
  log: () => undefined,
  error: () => undefined,
  warn: (message: string) => {
    if (message.includes('listens for')) warnings.push(message);
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  warnings = [];
  apps = [];
  ofTheRunner = signals.flatMap((signal) =>
    process.listeners(signal).map((listener) => [signal, listener] as const),
  );
  for (const [signal, listener] of ofTheRunner) process.off(signal, listener);
});

afterEach(async () => {
  vi.useRealTimers();
  for (const app of apps) await app.close();
  for (const [signal, listener] of ofTheRunner) process.on(signal, listener);
});

async function start(): Promise<INestApplicationContext> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger });
  apps.push(app);
  return app;
}

describe('a process without shutdown hooks', () => {
  it('is warned once, with the call that is missing, however many connections it has', async () => {
    await start();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(warnings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(warnings).toEqual([expect.stringMatching(WARNING)]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(warnings).toHaveLength(1);
  });

  it('is not warned in a test', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    module.useLogger(logger);
    apps.push(await module.init());
    await vi.advanceTimersByTimeAsync(30_000);
    expect(warnings).toEqual([]);
  });
});

describe('a process is not warned', () => {
  it.each([[[]], [['SIGTERM', 'SIGINT']], [['SIGTERM']], [['SIGINT']]])(
    'if the hooks are enabled after its start: %s',
    async (enabled) => {
      const app = await start();
      app.enableShutdownHooks(enabled);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(warnings).toEqual([]);
    },
  );

  it.each(signals)('if a listener of its own for %s closes the application', async (signal) => {
    const app = await start();
    const listener = (): void => void app.close();
    process.on(signal, listener);
    await vi.advanceTimersByTimeAsync(30_000);
    process.off(signal, listener);
    expect(warnings).toEqual([]);
  });
});
