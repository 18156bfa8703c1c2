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

  /** Takes hours. If asked to stop, it stops between two pages and returns the rest. */
  @Locked('index')
  async rebuild(pages: readonly string[]): Promise<readonly string[]> {
    const { revoked, signal } = currentLock();
    for (const [done, page] of pages.entries()) {
      if (revoked.aborted) return pages.slice(done);
      await this.index.build(page, signal);
    }
    return [];
  }

  async correct(page: string): Promise<void> {
    await this.locks.revoke('index'); // asked before this call holds the lock itself
    await this.locks.withLock('index', ({ signal }) => this.index.build(page, signal));
  }
}
