import { Injectable } from '@nestjs/common';
import { LockService, Locked, currentLock } from 'nestjs-zk-lock';

/** Collects the parcels. */
@Injectable()
export class Carrier {
  async collect(_order: string, _signal: AbortSignal): Promise<void> {}
}

@Injectable()
export class OrdersService {
  readonly shipped: string[] = [];

  constructor(
    private readonly locks: LockService,
    private readonly carrier: Carrier,
  ) {}

  @Locked('order:{0}', 1_000)
  async ship(order: string): Promise<void> {
    const lock = currentLock();
    await this.carrier.collect(order, lock.signal);
    lock.assertHeld();
    this.shipped.push(order);
  }

  /** Returns false if another replica is tidying up. */
  async tidyUp(): Promise<boolean> {
    await using lock = await this.locks.tryAcquire('tidy-up');
    return lock !== null;
  }
}
