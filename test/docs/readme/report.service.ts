import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Locked, currentLock } from 'nestjs-zk-lock';

@Injectable()
export class ReportService {
  @Cron('0 0 3 * * *')
  @Locked('nightly-report', { onBusy: 'skip', minHoldMs: 30_000, maxHoldMs: 3_600_000 })
  async report(): Promise<void> {
    await fetch('https://reports.example/nightly', { signal: currentLock().signal });
  }
}
