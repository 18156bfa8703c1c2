import { Injectable } from '@nestjs/common';
import { Locked } from 'nestjs-zk-lock';

@Injectable()
export class OrderService {
  @Locked('order:{0}')
  async ship(id: string, shipping: (id: string) => Promise<void>): Promise<void> {
    await shipping(id); // one process at a time, per order
  }
}
