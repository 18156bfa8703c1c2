import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nestjs-zk-lock';

export abstract class PriceList {
  abstract read(article: string): Promise<number>;
  abstract write(article: string, price: number): Promise<void>;
  abstract print(signal: AbortSignal): Promise<void>;
}

@Injectable()
export class PriceService {
  constructor(
    private readonly locks: LockService,
    private readonly list: PriceList,
  ) {}

  @Locked('prices', 5_000, 'read')
  async quote(article: string): Promise<number> {
    return this.list.read(article);
  }

  /** Prints what it has written. Other readers get in, but no writer gets in between. */
  async changeAndPrint(article: string, price: number): Promise<void> {
    await using reading = await this.locks.withLock('prices', async () => {
      await this.list.write(article, price);
      return this.locks.acquire('prices', { mode: 'read' }); // outlives the write lock
    });
    await this.list.print(reading.signal);
  }
}
