import { Injectable } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';

export abstract class Stock {
  abstract count(article: string): Promise<number>;
  abstract reorder(article: string, fencingToken: bigint): Promise<void>;
}

@Injectable()
export class StockService {
  constructor(
    private readonly locks: LockService,
    private readonly stock: Stock,
  ) {}

  async reorderIfLow(article: string): Promise<void> {
    await using lock = await this.locks.acquireUpgradable(`stock:${article}`);
    if ((await this.stock.count(article)) >= 10) return;
    await using writing = await lock.upgrade({ timeoutMs: 5_000 });
    await this.stock.reorder(article, writing.fencingToken); // the count is still true
  }
}
