import { Injectable } from '@nestjs/common';
import { Locked } from 'nestjs-zk-lock';

interface Order {
  readonly id: number;
}

declare function pack(order: Order): Promise<void>;

@Injectable()
export class OrderService {
  @Locked('order:{0.id}', { timeoutMs: 2_000 })
  async ship(order: Order) {
    await pack(order); // one replica at a time, per order
  }
}
