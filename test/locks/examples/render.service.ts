import { Injectable } from '@nestjs/common';
import { LockService, WithPermit, currentPermit, type Semaphore } from 'nestjs-zk-lock';

export abstract class RenderFarm {
  abstract render(scene: string, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class RenderService {
  /** The number of permits is in ZooKeeper. */
  private readonly licences: Semaphore;

  constructor(
    locks: LockService,
    private readonly farm: RenderFarm,
  ) {
    this.licences = locks.semaphore('licences', {
      permits: { sharedCount: '/counts/licences', seed: 2 },
    });
  }

  async still(scene: string): Promise<void> {
    await this.licences.withPermit({ timeoutMs: 60_000 }, async ({ signal }) => {
      await this.farm.render(scene, signal);
    });
  }

  /** Waits until three cards are free. */
  @WithPermit('cards', { permits: 4, take: 3 })
  async film(scene: string): Promise<void> {
    await this.farm.render(scene, currentPermit().signal);
  }

  /** Takes effect in all replicas at once. */
  async setLicences(count: number): Promise<void> {
    await this.licences.setPermits(count);
  }
}
