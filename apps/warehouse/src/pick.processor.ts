import { Injectable } from '@nestjs/common';
import { UseCls } from 'nestjs-cls';
import { Locked } from 'nestjs-zk-lock';
import type { PickOrder } from './pick-order.js';
import type { Picked } from './picked.js';
import { StockService } from './stock.service.js';

/** As much of BullMQ's `Job` as a processor needs. */
export interface Job<Data> {
  readonly id?: string;
  readonly name: string;
  readonly data: Data;
}

/**
 * Written as for `@nestjs/bullmq`, where the class has `@Processor('picks')` and extends
 * `WorkerHost`. In each replica a worker calls `process()` for each job, with up to `concurrency`
 * jobs at a time. A job whose lock was not free in time fails with `LockTimeoutError`; BullMQ
 * retries it as its `attempts` and `backoff` say.
 */
@Injectable()
export class PickProcessor {
  constructor(private readonly stock: StockService) {}

  @UseCls({ generateId: true, idGenerator: ({ id }: Job<PickOrder>) => `job ${id ?? '?'}` })
  @Locked('stock:{0.data.sku}', { timeoutMs: ({ data }: Job<PickOrder>) => data.patienceMs })
  async process({ data }: Job<PickOrder>): Promise<Picked> {
    return this.stock.pick(data.sku);
  }
}
