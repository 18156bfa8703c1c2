import 'reflect-metadata';
import {
  HttpStatus,
  type INestApplication,
  type INestApplicationContext,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { LockService, LockTimeoutError } from 'nestjs-zk-lock';
import type { Server } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { AccountService, Bank } from './readme/account.service.js';
import { HealthModule } from './readme/health.module.js';
import { OrderService } from './readme/order.service.js';
import { ReportService } from './readme/report.service.js';
import { StockService } from './readme/stock.service.js';

const apps = useTestApps();

/** Replaces `fetch`: records requests as `method url`, and lets the test answer each. */
function holdFetches() {
  const fetched: string[] = [];
  const answers: (() => void)[] = [];
  vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit) => {
    fetched.push(`${method} ${url}`);
    await new Promise<void>((resolve) => answers.push(resolve));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return { fetched, answer: () => answers.shift()?.() };
}

async function startTwo<T>(service: Type<T>): Promise<[T, T]> {
  const start = async () => apps.start({ imports: [apps.zkLock()], providers: [service] });
  return [(await start()).get(service), (await start()).get(service)];
}

it('@Locked: one replica ships an order at a time, another one the next order', async () => {
  const carrier = holdFetches();
  const [first, second] = await startTwo(OrderService);
  const shipped = first.ship('42');
  await waitFor(() => carrier.fetched.length === 1, { what: 'the first order on its way' });
  await expect(second.ship('42')).rejects.toThrow(LockTimeoutError);

  const other = second.ship('43');
  await waitFor(() => carrier.fetched.length === 2, { what: 'the other order on its way' });
  expect(carrier.fetched).toEqual([
    'POST https://carrier.example/42',
    'POST https://carrier.example/43',
  ]);
  carrier.answer();
  carrier.answer();
  await Promise.all([shipped, other]);
});

it('keys: a property, several, and a function with readers', async () => {
  const inside: string[] = [];
  const leaving: (() => void)[] = [];
  const stay = async (what: string): Promise<void> => {
    inside.push(what);
    await new Promise<void>((resolve) => leaving.push(resolve));
  };
  const bank: Bank = {
    close: (account, fencingToken) => stay(`close ${account} ${typeof fencingToken}`),
    move: (from, to, signal) => stay(`move ${from} ${to} ${String(signal.aborted)}`),
    balance: async (account) => {
      await stay(`balance ${account}`);
      return 7;
    },
  };
  const providers = [AccountService, { provide: Bank, useValue: bank }];
  const app = await apps.start({ imports: [apps.zkLock()], providers });
  const accounts = app.get(AccountService);

  const read = [accounts.balance('a'), accounts.balance('a')];
  await waitFor(() => inside.length === 2, { what: 'two readers' });
  const moved = accounts.transfer('a', 'b');
  const closed = accounts.close({ id: 'b' });
  await waitFor(() => inside.length === 3, { what: 'who needs b alone' });
  expect(inside.splice(0)).toEqual(['balance a', 'balance a', 'close b bigint']);

  leaving.splice(0).forEach((leave) => leave());
  expect(await Promise.all(read)).toEqual([7, 7]);
  await closed;
  await waitFor(() => inside.length === 1, { what: 'who needs both' });
  expect(inside).toEqual(['move a b false']);
  leaving[0]!();
  await moved;
});

it('LockService: waits, or sees that the lock is taken', async () => {
  const [first, second] = await startTwo(StockService);
  await first.count('7', async (signal) => {
    expect(signal.aborted).toBe(false);
    expect(await second.countIfFree('7', async () => {})).toBe(false);
    expect(await second.countIfFree('8', async () => {})).toBe(true);
  });
  expect(await second.countIfFree('7', async () => {})).toBe(true);
});

it('a job runs in one of two replicas', async () => {
  const { fetched, answer } = holdFetches();
  const imports = [ScheduleModule.forRoot(), apps.zkLock()];
  const start = async () => apps.start({ imports, providers: [ReportService] });
  const [first, second] = [await start(), await start()];
  expect(first.get(SchedulerRegistry).getCronJobs().size).toBe(1);

  const ran = first.get(ReportService).report();
  await waitFor(() => fetched.length === 1, { what: 'the job to run' });
  await second.get(ReportService).report();
  answer();
  await ran;
  await second.get(ReportService).report();
  expect(fetched).toEqual(['GET https://reports.example/nightly']);
});

it('health: the endpoint answers that ZooKeeper is up', async () => {
  const url = await apps.listen({ imports: [apps.zkLock(), HealthModule] });
  const response = await fetch(`${url}/health`);
  expect(response.status).toBe(HttpStatus.OK);
  expect(await response.json()).toMatchObject({ details: { zookeeper: { status: 'up' } } });
});

describe('with ZK_CONNECT from the environment', () => {
  const stateOf = (app: INestApplicationContext): string =>
    app.get(LockService).session.snapshot.state.name;

  const useServer = (): void => {
    vi.stubEnv('ZK_CONNECT', sharedServer().connectString);
    vi.stubEnv('PORT', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
  };

  it('main.ts starts the application, which listens for the signals of a shutdown', async () => {
    useServer();
    const create = vi.spyOn(NestFactory, 'create');
    const signals = ['SIGTERM', 'SIGINT', 'SIGSEGV'];
    const listeners = () => signals.map((signal) => process.listenerCount(signal));
    const before = listeners();
    await import('./readme/main.js');
    const app = (await create.mock.results[0]!.value) as INestApplication<Server>;
    await waitFor(() => app.getHttpServer().listening, { what: 'the application to listen' });
    const added = listeners().map((count, signal) => count - before[signal]!);
    const state = stateOf(app);
    await app.close();
    expect(added).toEqual([1, 1, 0]);
    expect(state).toBe('connected');
  });

  it('the native client connects', async () => {
    useServer();
    const { AppModule } = await import('./readme/native.module.js');
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();
    const state = stateOf(app);
    await app.close();
    expect(state).toBe('connected');
  });
});
