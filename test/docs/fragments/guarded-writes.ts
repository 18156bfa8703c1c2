import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Locked, type LockService } from 'nestjs-zk-lock';

export async function sell(locks: LockService, article: string, order: string): Promise<string> {
  return locks.withLock(`stock:${article}`, async (lock) => {
    const options = { mode: 'persistent-sequential' } as const;
    const [, path = ''] = await lock.transact((tx) =>
      tx.set(`/stock/${article}`, 'sold').create('/orders/o-', order, options),
    );
    return path; // "/orders/o-0000000042"
  });
}

@Injectable()
export class BillingService {
  @Cron('0 * * * * *')
  @Locked('billing', { atMostEveryMs: 60_000, onBusy: 'skip' })
  async bill(): Promise<void> {}
}
