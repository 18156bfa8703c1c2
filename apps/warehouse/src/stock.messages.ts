import { Controller, UseInterceptors } from '@nestjs/common';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { ClsInterceptor } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import type { Observable } from 'rxjs';
import { Forklift } from './forklift.js';
import type { PickOrder } from './pick-order.js';
import type { Picked } from './picked.js';
import { StockService } from './stock.service.js';

/** Messages that other services send over TCP. */
@Controller()
@UseInterceptors(ClsInterceptor)
export class StockMessages {
  constructor(
    private readonly stock: StockService,
    private readonly forklift: Forklift,
  ) {}

  @MessagePattern('pick')
  @Locked('stock:{0.sku}', { timeoutMs: ({ patienceMs }: PickOrder) => patienceMs })
  async pick(@Payload() { sku }: PickOrder): Promise<Picked> {
    return this.stock.pick(sku);
  }

  /** An event has no answer: the article is picked even when the sender has gone. */
  @EventPattern('picked-elsewhere')
  @Locked('stock:{0.sku}')
  async pickedElsewhere(@Payload() { sku }: PickOrder): Promise<void> {
    await this.stock.pick(sku);
  }

  @MessagePattern('count')
  @Locked('stock:{0.sku}')
  count(@Payload() { sku }: PickOrder): Observable<string> {
    return this.forklift.shelves(sku);
  }
}
