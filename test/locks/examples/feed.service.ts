import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LockService, ZkClosedError, OnlyLeader, currentLock } from 'nestjs-zk-lock';

export abstract class Feed {
  /** Reads until the signal aborts. */
  abstract read(signal: AbortSignal, fencingToken: bigint): Promise<void>;
  abstract sendSummary(signal: AbortSignal): Promise<void>;
}

@Injectable()
export class FeedService implements OnApplicationBootstrap {
  constructor(
    private readonly locks: LockService,
    private readonly feed: Feed,
  ) {}

  /** Runs only in the replica that leads, even if all of them call it. */
  @OnlyLeader('feed', { onFollower: 'skip' })
  async sendSummary(): Promise<void> {
    await this.feed.sendSummary(currentLock().signal);
  }

  onApplicationBootstrap(): void {
    void this.follow();
  }

  /** Lets another replica lead. */
  async stepDown(): Promise<void> {
    await this.locks.election('feed').resign();
  }

  private async follow(): Promise<void> {
    try {
      const election = this.locks.election('feed');
      for (;;) {
        const { signal, fencingToken } = await election.whenLeader();
        await this.feed.read(signal, fencingToken).catch((error: unknown) => {
          if (!signal.aborted) throw error; // the term is not over
        });
      }
    } catch (error) {
      if (!(error instanceof ZkClosedError)) throw error; // the application shuts down
    }
  }
}
