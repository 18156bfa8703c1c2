import { UseInterceptors } from '@nestjs/common';
import {
  MessageBody,
  type OnGatewayConnection,
  SubscribeMessage,
  WebSocketGateway,
  type WsResponse,
} from '@nestjs/websockets';
import { ClsInterceptor } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import { type Observable, map } from 'rxjs';
import type { WebSocket } from 'ws';
import { Forklift } from './forklift.js';
import type { PickOrder } from './pick-order.js';
import type { Picked } from './picked.js';
import { StockService } from './stock.service.js';

@WebSocketGateway()
@UseInterceptors(ClsInterceptor)
export class StockGateway implements OnGatewayConnection<WebSocket> {
  constructor(
    private readonly stock: StockService,
    private readonly forklift: Forklift,
  ) {}

  /** Nest 11 only emits exceptions on the client, and `ws` does not send them. Nest 12 does. */
  handleConnection(client: WebSocket): void {
    client.on('exception', (data: object) => {
      client.send(JSON.stringify({ event: 'exception', data }));
    });
  }

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
