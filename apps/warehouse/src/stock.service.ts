import { Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { ClsService } from 'nestjs-cls';
import { LockService, Locked, currentLock } from 'nestjs-zk-lock';
import type { LockInspection } from 'nestjs-zk-lock/inspect';
import { Forklift } from './forklift.js';
import type { Picked } from './picked.js';

const INITIAL_STOCK = 100;

@Injectable()
export class StockService {
  readonly #left = new Map<string, number>();

  constructor(
    private readonly locks: LockService,
    private readonly forklift: Forklift,
    private readonly events: EventEmitter2,
    private readonly cls: ClsService,
  ) {}

  /**
   * Reads the count, drives, and writes the count minus one: two calls at a time would lose an article.
   */
  @Locked('stock:{0}')
  async pick(sku: string): Promise<Picked> {
    const { signal, fencingToken } = currentLock();
    const left = this.left(sku) - 1;
    await this.forklift.fetch(sku, signal);
    currentLock().assertHeld();
    this.#left.set(sku, left);
    const requestId = this.cls.getId();
    const picked = { sku, left, fencingToken: String(fencingToken), requestId };
    this.events.emit('stock.picked', picked);
    return picked;
  }

  left(sku: string): number {
    return this.#left.get(sku) ?? INITIAL_STOCK;
  }

  /** The calls that pick an article, and those that wait for it, in all replicas. */
  async queue(sku: string): Promise<LockInspection> {
    return this.locks.inspect(`stock:${sku}`);
  }
}
