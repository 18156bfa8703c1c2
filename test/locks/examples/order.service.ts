import { Injectable } from '@nestjs/common';
import { Locked, LockService, currentLock } from 'nestjs-zk-lock';

/** Refuses a write with a lower token than it has already seen. */
export abstract class Warehouse {
  abstract pack(order: string, signal: AbortSignal): Promise<void>;
  abstract book(order: string, fencingToken: bigint): Promise<void>;
}

@Injectable()
export class OrderService {
  constructor(
    private readonly locks: LockService,
    private readonly warehouse: Warehouse,
  ) {}

  @Locked('order:{0}', 5_000)
  async ship(order: string): Promise<void> {
    await this.warehouse.pack(order, currentLock().signal); // stops when the lock is lost
    await this.book(order); // joins the lock that is held
  }

  @Locked('order:{0}')
  async book(order: string): Promise<void> {
    await this.warehouse.book(order, currentLock().fencingToken);
  }

  /** Does not wait. Returns false if another call holds the order. */
  async bookIfFree(order: string): Promise<boolean> {
    await using lock = await this.locks.tryAcquire(`order:${order}`);
    if (lock) await this.warehouse.book(order, lock.fencingToken);
    return lock !== null;
  }
}
