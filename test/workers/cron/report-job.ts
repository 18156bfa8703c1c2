import { Inject, Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { Cron, SchedulerRegistry } from '@nestjs/schedule';
import { Locked } from 'nestjs-zk-lock';
import { tell as say } from '../serve.js';
import type { CronWorkerOptions, News } from './protocol.js';

const NAME = 'report';

/** On a busy machine, a run that would be later is left out. */
const MOST_LATE_MS = 1_000;

/** A job as applications write it. */
export function defineReportJob({ everySeconds, minHoldMs }: CronWorkerOptions): Type {
  const tell = (news: News): void => say(news);
  // Rounded: a busy machine is late, and a timer may be a little early.
  const tick = (): number => Math.round(Date.now() / (everySeconds * 1_000));

  @Injectable()
  class ReportJob implements OnApplicationBootstrap {
    constructor(@Inject(SchedulerRegistry) private readonly registry: SchedulerRegistry) {}

    onApplicationBootstrap(): void {
      const job = this.registry.getCronJob(NAME);
      job.addCallback(() => tell({ type: 'due', tick: tick() }));
    }

    @Cron(`*/${everySeconds} * * * * *`, { name: NAME, threshold: MOST_LATE_MS })
    @Locked(NAME, { onBusy: 'skip', minHoldMs })
    async report(): Promise<void> {
      tell({ type: 'ran', tick: tick() });
      return Promise.resolve();
    }
  }
  return ReportJob;
}
