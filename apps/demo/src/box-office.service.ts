import { Injectable } from '@nestjs/common';
import { type Lock, Locked, currentLock } from 'nestjs-zk-lock';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SalesLedger } from './sales-ledger.js';

export interface ShowSales {
  readonly show: string;
  readonly sold: number;
}

export interface Sale extends ShowSales {
  /** A `bigint` as text, which JSON can carry; null for a sale without a lock. */
  readonly fencingToken: string | null;
}

@Injectable()
export class BoxOfficeService {
  constructor(private readonly ledger: SalesLedger) {}

  @Locked('show:{0}')
  async sell(show: string): Promise<Sale> {
    return this.countOne(show, currentLock());
  }

  /** Replicas that do not wait for each other lose sales. */
  async sellUnlocked(show: string): Promise<Sale> {
    return this.countOne(show);
  }

  @Locked('show:{0}', { mode: 'read' })
  async sold(show: string): Promise<ShowSales> {
    return { show, sold: await this.ledger.read(show) };
  }

  @Locked('show:{0}')
  async reset(show: string): Promise<void> {
    await this.ledger.write(show, 0);
  }

  private async countOne(show: string, lock?: Lock): Promise<Sale> {
    const sold = (await this.ledger.read(show)) + 1;
    await sleep(randomInt(5, 20));
    // The wait may have outlived the session, and then another replica may be counting already.
    lock?.assertHeld();
    await this.ledger.write(show, sold);
    return { show, sold, fencingToken: lock ? String(lock.fencingToken) : null };
  }
}
