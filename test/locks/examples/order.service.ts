import { Injectable, Logger } from '@nestjs/common';
import { Locked, LockService, currentLock } from 'nestjs-zk-lock';

/** Where the parcels are. Refuses a write whose token is lower than one that it has seen. */
export abstract class Warehouse {
  abstract pack(order: string, signal: AbortSignal): Promise<void>;
  abstract book(order: string, fencingToken: bigint): Promise<void>;
  abstract archive(order: string): Promise<void>;
}

@Injectable()
export class OrderService {
  private readonly logger = new Logger(OrderService.name);

  constructor(
    private readonly locks: LockService,
    private readonly warehouse: Warehouse,
  ) {}

  @Locked('order:{0}', { timeoutMs: 5_000 })
  async ship(order: string): Promise<void> {
    const lock = currentLock();
    await this.warehouse.pack(order, lock.signal); // stops when the lock is lost
    await this.book(order); // joins the lock that is held
    // Nobody waits for this, so it must not join: it runs once this method has let go.
    this.archive(order).catch((error: unknown) => this.logger.error(error));
  }

  @Locked('order:{0}')
  async book(order: string): Promise<void> {
    await this.warehouse.book(order, currentLock().fencingToken);
  }

  @Locked('order:{0}', { reentrant: false })
  async archive(order: string): Promise<void> {
    await this.warehouse.archive(order);
  }

  /** Books all of them; false where another call has one of them at that moment, and stops there. */
  async bookFree(orders: readonly string[]): Promise<boolean> {
    for (const order of orders) {
      await using lock = await this.locks.tryAcquire(`order:${order}`);
      if (!lock) return false;
      await this.warehouse.book(order, lock.fencingToken);
    }
    return true;
  }
}
