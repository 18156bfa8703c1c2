import { Cron } from '@nestjs/schedule';
import { Locked, OnlyLeader, WithPermit, currentLock } from 'nestjs-zk-lock';

declare const url: string;
declare const row: object;
declare const ledger: { write(row: object, fencingToken: bigint): Promise<void> };

/** All at once, to be compiled and never to be called. */
/* eslint-disable @typescript-eslint/no-explicit-any */
export abstract class Methods {
  abstract reports: { make(signal: AbortSignal): Promise<void> };
  abstract send(signal: AbortSignal): Promise<void>;

  @Locked('nightly-report') // a fixed key
  @Locked('order:{0.id}', { timeoutMs: 5_000 }) // a property of the first argument
  @Locked((id: string) => `stock:${id}`, { mode: 'read' }) // a function of the arguments
  @Locked(['account:{0}', 'account:{1}']) // several, all or none, without deadlocks
  @Locked('order:{0}', { reentrant: false }) // joins no section that it is called in
  @Locked('order:{0}', { release: 'background' }) // returns before ZooKeeper answers the release
  @Locked('sync:{0}', { onBusy: () => 'running already' }) // answers at once where another one runs
  async locked(_first: any, _second: any): Promise<any> {
    return Promise.resolve();
  }

  @WithPermit('gpu', { permits: 4 })
  @WithPermit('disk:{0}', { permits: 10, take: (_disk: string, mb: number) => Math.ceil(mb / 100) })
  @WithPermit('mail', { permits: { sharedCount: '/counts/mail', seed: 5 } }) // changed by `setPermits()`
  async permitted(_disk: string, _mb: number): Promise<void> {
    return Promise.resolve();
  }

  async inside(): Promise<void> {
    const lock = currentLock();
    await fetch(url, { signal: lock.signal }); // stops when the lock is lost
    lock.assertHeld(); // throws when it is, by the clock at this moment
    await ledger.write(row, lock.fencingToken); // a bigint that rises with every grant
  }

  @Cron('0 0 3 * * *')
  @Locked('nightly-report', { onBusy: 'skip', minHoldMs: 30_000, maxHoldMs: 3_600_000 })
  async report(): Promise<void> {
    await this.reports.make(currentLock().signal);
  }

  @Cron('0 * * * *')
  @OnlyLeader('reports', { onFollower: 'skip' }) // without it, followers throw NotLeaderError (HTTP 503)
  async sendReports(): Promise<void> {
    await this.send(currentLock().signal); // aborts before another replica can lead
  }
}
