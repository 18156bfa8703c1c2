import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { ClsService } from 'nestjs-cls';
import { Locked, currentLock } from 'nestjs-zk-lock';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Picked } from './picked.js';

const PRINT_MS = 10;

export interface Paper {
  readonly what: string;
  readonly sku: string;
  readonly key: string;
  readonly requestId: string;
}

/**
 * Events are emitted inside the section that picks, which does not wait for their listeners. With
 * `reentrant: false` the listeners take a lock of their own instead of joining that section's lock.
 */
@Injectable()
export class PaperListener {
  readonly printed: Paper[] = [];

  constructor(private readonly cls: ClsService) {}

  @OnEvent('stock.picked')
  @Locked('label:{0.sku}', { reentrant: false })
  async label({ sku }: Picked): Promise<void> {
    await this.print('label', sku);
  }

  @Locked('reorder:{0.sku}', { reentrant: false })
  @OnEvent('stock.picked')
  async reorder({ sku }: Picked): Promise<void> {
    await this.print('reorder', sku);
  }

  private async print(what: string, sku: string): Promise<void> {
    await sleep(PRINT_MS, undefined, { signal: currentLock().signal });
    const lock = currentLock();
    lock.assertHeld();
    this.printed.push({ what, sku, key: lock.key, requestId: this.cls.getId() });
  }
}
