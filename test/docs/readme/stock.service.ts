import { Injectable } from '@nestjs/common';
import { LockService } from 'nestjs-zk-lock';

@Injectable()
export class StockService {
  constructor(private readonly locks: LockService) {}

  async count(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.locks.withLock(`stock:${id}`, { timeoutMs: 2_000 }, ({ signal }) => work(signal));
  }

  async countIfFree(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    await using lock = await this.locks.tryAcquire(`stock:${id}`); // null if it is taken
    if (lock) await work(lock.signal);
    return lock !== null;
  }
}
