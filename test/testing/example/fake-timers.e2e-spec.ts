import type { TestingModule } from '@nestjs/testing';
import { LockService, LockTimeoutError } from 'nestjs-zk-lock';
import { createLockTestingModule, holdElsewhere } from 'nestjs-zk-lock/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Carrier, OrdersService } from './orders.service.js';

const HOUR_MS = 3_600_000;

describe.each(['before', 'after'])('fake timers from %s the module on', (when) => {
  let moduleRef: TestingModule;

  async function start(): Promise<LockService> {
    if (when === 'before') vi.useFakeTimers();
    moduleRef = await createLockTestingModule({ providers: [OrdersService, Carrier] }).compile();
    if (when === 'after') vi.useFakeTimers();
    return moduleRef.get(LockService);
  }
  afterEach(async () => {
    vi.useRealTimers();
    await moduleRef.close();
  });

  it('end a wait, as docs/testing.md shows', async () => {
    const locks = await start();
    const orders = moduleRef.get(OrdersService);
    await holdElsewhere(moduleRef, 'order:7');
    const refused = expect(orders.ship('7')).rejects.toThrow(LockTimeoutError);
    while ((await locks.inspect('order:7')).waiters.length === 0);
    await vi.advanceTimersByTimeAsync(1_000); // its timeoutMs
    await refused;
  });

  it('leave a lock held through a job of an hour', async () => {
    const locks = await start();
    const job = locks.withLock('job', async (lock) => {
      await new Promise((resolve) => setTimeout(resolve, HOUR_MS));
      return lock.isHeld;
    });
    while ((await locks.inspect('job')).holders.length === 0);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(await job).toBe(true);
  });

  it('leave a lock to the next waiter while the clock stands still', async () => {
    const locks = await start();
    const rival = await holdElsewhere(moduleRef, 'order:7');
    const shipped = moduleRef.get(OrdersService).ship('7');
    while ((await locks.inspect('order:7')).waiters.length === 0);
    await rival.leave();
    await shipped;
    expect(moduleRef.get(OrdersService).shipped).toEqual(['7']);
  });
});
