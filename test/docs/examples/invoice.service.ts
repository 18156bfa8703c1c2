import { Injectable } from '@nestjs/common';
import { Locked, LockService, WithPermit, currentLock, currentPermit } from 'nestjs-zk-lock';

export abstract class Invoices {
  abstract send(invoice: string, signal: AbortSignal): Promise<void>;
  abstract draw(invoice: string, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class InvoiceService {
  constructor(
    private readonly locks: LockService,
    private readonly invoices: Invoices,
  ) {}

  /** One at a time for each invoice; the second call waits for two seconds at most. */
  @Locked('invoice:{0}', { timeoutMs: 2_000 })
  async send(invoice: string): Promise<void> {
    await this.invoices.send(invoice, currentLock().signal);
  }

  /** False where another replica is at it: nobody waits. */
  async sendIfFree(invoice: string): Promise<boolean> {
    await using lock = await this.locks.tryAcquire(`invoice:${invoice}`);
    if (lock) await this.invoices.send(invoice, lock.signal);
    return lock !== null;
  }

  /** Two drawings at a time, over all replicas. */
  @WithPermit('drawings', { permits: 2 })
  async draw(invoice: string): Promise<void> {
    await this.invoices.draw(invoice, currentPermit().signal);
  }
}
