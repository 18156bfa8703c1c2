import { Injectable } from '@nestjs/common';
import { Locked, ZkLockModule } from 'nestjs-zk-lock';
import type { DialectName } from 'zk-locks';

/** Beside `ship` of `examples/Orders.java` and `examples/orders.py`. */
@Injectable()
export class OrderService {
  @Locked('order:{0}')
  async ship(id: string, shipping: (id: string) => Promise<void>): Promise<void> {
    await shipping(id); // one process at a time, per order
  }
}

/** An application with `OrderService` that sets the dialect as described in docs/locks.md. */
export const ordersWith = (dialect: DialectName, servers: string) => ({
  imports: [ZkLockModule.forRoot({ servers, dialect })],
  providers: [OrderService],
});
