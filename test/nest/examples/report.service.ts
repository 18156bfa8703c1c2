import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Locked, currentLock } from 'nestjs-zk-lock';

/** Makes the daily report, and stops when its signal aborts. */
export abstract class Reports {
  abstract make(signal: AbortSignal): Promise<void>;
}

@Injectable()
export class ReportService {
  constructor(private readonly reports: Reports) {}

  /** Every replica calls it at three o'clock by its own clock, and one of them runs it. */
  @Cron('0 0 3 * * *', { name: 'report' })
  @Locked('nightly-report', {
    onBusy: 'skip', // the others neither wait nor fail
    minHoldMs: 30_000, // replicas whose clocks lag slightly also skip it
    maxHoldMs: 3_600_000, // tells a run that hangs to stop after an hour
  })
  async report(): Promise<void> {
    await this.reports.make(currentLock().signal);
  }
}
