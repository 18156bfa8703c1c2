import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Locked, currentLock } from 'nestjs-zk-lock';

/** Makes the report of a day, and stops when its signal aborts. */
export abstract class Reports {
  abstract make(signal: AbortSignal): Promise<void>;
}

@Injectable()
export class ReportService {
  constructor(private readonly reports: Reports) {}

  /** Every replica calls it at three o'clock of its own clock; one of them runs it. */
  @Cron('0 0 3 * * *', { name: 'report' })
  @Locked('nightly-report', {
    onBusy: 'skip', // the others do not wait, and do not fail
    minHoldMs: 30_000, // nor do those whose clock shows three o'clock a little later
    maxHoldMs: 3_600_000, // a run that hangs is told to stop after an hour
  })
  async report(): Promise<void> {
    await this.reports.make(currentLock().signal);
  }
}
