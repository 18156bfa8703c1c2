import {
  Controller,
  Get,
  type MessageEvent,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Sse,
} from '@nestjs/common';
import { ApiCreatedResponse } from '@nestjs/swagger';
import { Locked } from 'nestjs-zk-lock';
import { type Observable, map } from 'rxjs';
import { Forklift } from './forklift.js';
import { Picked } from './picked.js';
import { StockService } from './stock.service.js';

@Controller('stock/:sku')
export class StockController {
  constructor(
    private readonly stock: StockService,
    private readonly forklift: Forklift,
  ) {}

  @Get()
  async show(@Param('sku') sku: string): Promise<object> {
    const { holders, waiters } = await this.stock.queue(sku);
    return { sku, left: this.stock.left(sku), picking: holders.length, waiting: waiters.length };
  }

  /** Acquires the article's lock, which the service's method joins. */
  @Post('picks')
  @ApiCreatedResponse({ type: Picked })
  @Locked('stock:{0}', { timeoutMs: (_sku: string, patienceMs?: number) => patienceMs })
  async pick(
    @Param('sku') sku: string,
    @Query('patienceMs', new ParseIntPipe({ optional: true })) _patienceMs?: number,
  ): Promise<Picked> {
    return this.stock.pick(sku);
  }

  /** Articles cannot be picked while a client listens to the count. */
  @Sse('count')
  @Locked('stock:{0}', { timeoutMs: (_sku: string, patienceMs?: number) => patienceMs })
  count(
    @Param('sku') sku: string,
    @Query('patienceMs', new ParseIntPipe({ optional: true })) _patienceMs?: number,
  ): Observable<MessageEvent> {
    return this.forklift.shelves(sku).pipe(map((data) => ({ data })));
  }
}
