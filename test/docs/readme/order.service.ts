import { Injectable } from '@nestjs/common';
import { Locked, currentLock } from 'nestjs-zk-lock';

@Injectable()
export class OrderService {
  @Locked('order:{0}', 1_000)
  async ship(orderId: string): Promise<void> {
    // One replica at a time per order; other calls wait up to one second.
    const { signal } = currentLock(); // aborts if the lock is lost
    await fetch(`https://carrier.example/${orderId}`, { method: 'POST', signal });
  }
}
