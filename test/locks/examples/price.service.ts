import { Injectable } from '@nestjs/common';
import { Locked, LockService, type Lock } from 'nestjs-zk-lock';

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

  @Locked('prices', { mode: 'read' })
  async quote(article: string): Promise<number> {
    return this.list.read(article);
  }

  @Locked('prices')
  async change(article: string, price: number): Promise<void> {
    await this.list.write(article, price);
  }

  /** What is printed is what was changed: nobody can write in between, and others read meanwhile. */
  async changeAndPrint(article: string, price: number): Promise<void> {
    await using reading = await this.changeForReading(article, price);
    await this.list.print(reading.signal);
  }

  private changeForReading(article: string, price: number): Promise<Lock> {
    return this.locks.withLock('prices', async () => {
      await this.list.write(article, price);
      // Joins the write lock, outlives it, and is then a read lock in its place.
      return this.locks.acquire('prices', { mode: 'read' });
    });
  }
}
