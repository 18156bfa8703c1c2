import 'reflect-metadata';
import { Controller, Get, Logger } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { LockKeyError, LockService, Locked } from 'nestjs-zk-lock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { addTransports } from '../../apps/warehouse/src/add-transports.js';
import { WarehouseModule } from '../../apps/warehouse/src/warehouse.module.js';
import { useTestApps } from '../nest/support/test-apps.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { BusyFilter } from './examples/busy.filter.js';
import { KeyService, orderKey } from './examples/key.service.js';
import { OperatedModule } from './examples/operated.module.js';
import { Transfers } from './examples/transfers.js';

const apps = useTestApps();

it('docs/keys.md: each method takes the key that it returns', async () => {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [KeyService] });
  const service = app.get(KeyService);
  const order = { id: 42, customer: { country: 'FR' } };
  const acquired = vi.spyOn(app.get(LockService), 'withLock');
  const several = vi.spyOn(app.get(LockService), 'withLocks');
  const keys = () => acquired.mock.calls.map(([key]) => key);

  await service.report();
  await service.tax(order, 2026);
  await service.ship(order);
  expect(keys()).toEqual(['nightly-report', 'tax:FR:2026', orderKey(order)]);
  expect(await service.transfer('b', 'a')).toEqual(['account:a', 'account:b']);
  expect(several).toHaveBeenCalledOnce();
  await expect(service.tax({ id: 1, customer: {} } as never, 2026)).rejects.toThrow(LockKeyError);
});

it('docs/comparison.md: a transfer holds both accounts', async () => {
  const app = await apps.start({ imports: [apps.zkLock()], providers: [Transfers] });
  const other = await apps.replica();
  await app.get(Transfers).transfer('a', 'b', async (signal) => {
    expect(signal.aborted).toBe(false);
    expect(await other.tryAcquire('account:a')).toBeNull();
    expect(await other.tryAcquire('account:b')).toBeNull();
  });
  await using free = await other.tryAcquire('account:a');
  expect(free).not.toBeNull();
});

@Controller()
class Report {
  @Get()
  @Locked('report', { timeoutMs: 2_000 })
  read(): Promise<string> {
    return Promise.resolve('done');
  }

  @Get('broken')
  @Locked('order:{0}')
  broken(): Promise<string> {
    return Promise.resolve('done');
  }
}

it('docs/nest.md: a busy lock becomes a 409, and the log names its holder', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const url = await apps.listen({
    imports: [apps.zkLock()],
    controllers: [Report],
    providers: [{ provide: APP_FILTER, useClass: BusyFilter }],
  });
  const other = await apps.replica({ application: 'billing' });
  expect((await fetch(url)).status).toBe(200);
  await using _busy = await other.acquire('report');

  const refuse = async (): Promise<void> => {
    const response = await fetch(url);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ message: 'Try again later' });
  };
  // On a busy machine, not every call finds out who the holder is.
  const isNamed = async (): Promise<boolean> => {
    await refuse();
    return warn.mock.calls.some(([message]) => String(message).includes('Held by billing'));
  };
  await waitFor(isNamed, { what: 'the holder to be named' });
  expect((await fetch(`${url}/broken`)).status).toBe(500);
});

it('docs/nest.md: a resolver whose lock is busy fails with its own status, and the log names the lock', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const app = await apps.build({
    imports: [apps.zkLock(), WarehouseModule],
    providers: [{ provide: APP_FILTER, useClass: BusyFilter }],
  });
  await addTransports(app, 0);
  await app.listen(0, '127.0.0.1');
  await using _busy = await (await apps.replica()).acquire('stock:bolts');

  const response = await fetch(`${await app.getUrl()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { pick(sku: "bolts", patienceMs: 0) { left } }' }),
  });
  expect(response.status).toBe(423);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'LOCK_TIMEOUT' } }],
  });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('"stock:bolts"'));
});

it('docs/operating.md: an application starts with its options', async () => {
  vi.stubEnv('ZK_CONNECT', sharedServer().connectString);
  onTestFinished(() => void vi.unstubAllEnvs());
  const app = await Test.createTestingModule({ imports: [OperatedModule] }).compile();
  await app.init();
  const { state } = app.get(LockService).session.snapshot;
  await app.close();
  expect(state.name).toBe('connected');
});
