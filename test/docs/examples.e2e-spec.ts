import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import { LockKeyError, LockService } from 'nestjs-zk-lock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { sharedServer } from '../support/shared-server.js';
import { KeyService, orderKey } from './examples/key.service.js';
import { OperatedModule } from './examples/operated.module.js';
import { Transfers } from './examples/transfers.js';

const apps = useTestApps();

it('docs/keys.md: each method takes the key that it says', async () => {
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

it('docs/comparison.md: a transfer has both accounts', async () => {
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

it('docs/operating.md: an application starts with its options', async () => {
  vi.stubEnv('ZK_CONNECT', sharedServer().connectString);
  onTestFinished(() => void vi.unstubAllEnvs());
  const app = await Test.createTestingModule({ imports: [OperatedModule] }).compile();
  await app.init();
  const { state } = app.get(LockService).session.snapshot;
  await app.close();
  expect(state.name).toBe('connected');
});
