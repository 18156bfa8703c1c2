import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LockService, LockServiceClosedError, OnlyLeader, currentLock } from 'nestjs-zk-lock';

export abstract class Feed {
  /** Reads on until the signal aborts. */
  abstract read(signal: AbortSignal, fencingToken: bigint): Promise<void>;
  abstract sendSummary(signal: AbortSignal): Promise<void>;
}

@Injectable()
export class FeedService implements OnApplicationBootstrap {
  constructor(
    private readonly locks: LockService,
    private readonly feed: Feed,
  ) {}

  /** Called in all replicas, by `@Cron()` for example, and runs in the one that leads. */
  @OnlyLeader('feed', { onFollower: 'skip' })
  async sendSummary(): Promise<void> {
    await this.feed.sendSummary(currentLock().signal);
  }

  onApplicationBootstrap(): void {
    void this.follow();
  }

  /** For the next release: this replica lets another one lead. */
  async stepDown(): Promise<void> {
    await this.locks.election('feed').resign();
  }

  private async follow(): Promise<void> {
    try {
      const election = this.locks.election('feed');
      for (;;) {
        const { signal, fencingToken } = await election.whenLeader();
        await this.feed.read(signal, fencingToken); // until the term is over
      }
    } catch (error) {
      if (!(error instanceof LockServiceClosedError)) throw error; // the application shuts down
    }
  }
}
