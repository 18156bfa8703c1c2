import { UseInterceptors } from '@nestjs/common';
import {
  MessageBody,
  SubscribeMessage,
  WebSocketGateway,
  type WsResponse,
} from '@nestjs/websockets';
import { ClsInterceptor } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import { type Observable, map } from 'rxjs';
import { Forklift } from './forklift.js';
import type { PickOrder } from './pick-order.js';
import type { Picked } from './picked.js';
import { StockService } from './stock.service.js';

@WebSocketGateway()
@UseInterceptors(ClsInterceptor)
export class StockGateway {
  constructor(
    private readonly stock: StockService,
    private readonly forklift: Forklift,
  ) {}

  @SubscribeMessage('pick')
  @Locked('stock:{0.sku}', { timeoutMs: ({ patienceMs }: PickOrder) => patienceMs })
  async pick(@MessageBody() { sku }: PickOrder): Promise<WsResponse<Picked>> {
    return { event: 'picked', data: await this.stock.pick(sku) };
  }

  @SubscribeMessage('count')
  @Locked('stock:{0.sku}')
  count(@MessageBody() { sku }: PickOrder): Observable<WsResponse<string>> {
    return this.forklift.shelves(sku).pipe(map((data) => ({ event: 'counted', data })));
  }
}
