import { Injectable } from '@nestjs/common';
import { Locked, LockService, currentLock } from 'nestjs-zk-lock';

export abstract class SearchIndex {
  abstract build(page: string, signal: AbortSignal): Promise<void>;
}

@Injectable()
export class IndexService {
  constructor(
    private readonly locks: LockService,
    private readonly index: SearchIndex,
  ) {}

  /** Takes hours, and gives way between two pages. What is left over when it does. */
  @Locked('index')
  async rebuild(pages: readonly string[]): Promise<readonly string[]> {
    const { revoked, signal } = currentLock();
    for (const [done, page] of pages.entries()) {
      if (revoked.aborted) return pages.slice(done);
      await this.index.build(page, signal);
    }
    return [];
  }

  /** Cannot wait for hours. */
  async correct(page: string): Promise<void> {
    await this.locks.revoke('index'); // before it queues up, lest it ask itself
    await this.locks.withLock('index', ({ signal }) => this.index.build(page, signal));
  }
}
