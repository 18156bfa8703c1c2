import { Injectable } from '@nestjs/common';
import { Locked, LockService, OnlyLeader, WithPermit, ZkLockConfigError } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { useTestApps } from '../nest/support/test-apps.js';
import { waitFor } from '../support/wait-for.js';
import { recordEvents } from './support/record-events.js';

const apps = useTestApps();

@Injectable()
class Orders {
  @Locked('order:{0.id}')
  async ship(_order: { id: number }): Promise<void> {}

  @Locked((id: number) => `order:${id}`)
  async cancel(_id: number): Promise<void> {}

  @Locked(['account:{0}', 'account:{1}'])
  async transfer(_from: string, _to: string): Promise<void> {}

  @WithPermit('cards:{0}', { permits: 2 })
  async charge(_bank: string): Promise<void> {}

  @Locked('archive:{0}', { connection: 'archive' })
  async archive(_id: number): Promise<void> {}

  @OnlyLeader('scheduler', { onFollower: 'skip' })
  async schedule(): Promise<void> {}
}

it('is the text of a decorator, whatever the arguments are, on the connection it names', async () => {
  const events = recordEvents();
  const app = await apps.start({
    imports: [apps.zkLock(), apps.zkLock({ name: 'archive' })],
    providers: [Orders],
  });
  const orders = app.get(Orders);
  await waitFor(() => events.of('holdStart').length === 1, { what: 'the leader' });
  await orders.ship({ id: 7 });
  await orders.cancel(7);
  await orders.transfer('a', 'b');
  await orders.charge('visa');
  await orders.archive(7);
  const told = events
    .of('holdStart')
    .map(({ connection, key, pattern }) => [connection, key, pattern]);
  expect(told).toEqual([
    ['default', 'scheduler', 'scheduler'],
    ['default', 'order:7', 'order:{0.id}'],
    ['default', 'order:7', 'Orders.cancel'],
    ['default', 'account:a', 'account:{0}, account:{1}'],
    ['default', 'account:b', 'account:{0}, account:{1}'],
    ['default', 'cards:visa', 'cards:{0}'],
    ['archive', 'archive:7', 'archive:{0}'],
  ]);
});

it('is undefined unless a call of the service gives one, which must be valid', async () => {
  const events = recordEvents();
  const locks = (await apps.start({ imports: [apps.zkLock()] })).get(LockService);
  await locks.withLock('order:7', () => undefined);
  expect(events.of('holdEnd')).toMatchObject([{ key: 'order:7', pattern: undefined }]);
  for (const pattern of ['', 'x'.repeat(201), 7]) {
    const refused = locks.acquire('order:7', { pattern: pattern as never });
    await expect(refused).rejects.toThrow(ZkLockConfigError);
    await expect(refused).rejects.toThrow('`pattern`');
  }
});
