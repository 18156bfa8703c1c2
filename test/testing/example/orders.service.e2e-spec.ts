import type { TestingModule } from '@nestjs/testing';
import { LockLostError, LockTimeoutError } from 'nestjs-zk-lock';
import { createLockTestingModule, holdElsewhere, loseLocks } from 'nestjs-zk-lock/testing';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Carrier, OrdersService } from './orders.service.js';

describe('OrdersService', () => {
  let moduleRef: TestingModule;
  let orders: OrdersService;

  beforeEach(async () => {
    moduleRef = await createLockTestingModule({ providers: [OrdersService, Carrier] }).compile();
    orders = moduleRef.get(OrdersService);
  });
  afterEach(() => moduleRef.close());

  it('ships an order', async () => {
    await orders.ship('7');
    expect(orders.shipped).toEqual(['7']);
  });

  it('does not ship an order that another replica holds', async () => {
    await using rival = await holdElsewhere(moduleRef, 'order:7');
    await expect(orders.ship('7')).rejects.toThrow(LockTimeoutError);
    await orders.ship('8');
    await rival.leave();
    await orders.ship('7');
    expect(orders.shipped).toEqual(['8', '7']);
  });

  it('does not tidy up while another replica does', async () => {
    await using _rival = await holdElsewhere(moduleRef, 'tidy-up');
    expect(await orders.tidyUp()).toBe(false);
  });

  it('ships nothing without its lock', async () => {
    vi.spyOn(moduleRef.get(Carrier), 'collect').mockImplementation(async (_order, signal) => {
      await once(signal, 'abort');
    });
    const refused = expect(orders.ship('7')).rejects.toThrow(LockLostError);
    await loseLocks(moduleRef);
    await refused;
    expect(orders.shipped).toEqual([]);
  });
});
