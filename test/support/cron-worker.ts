import { onTestFinished } from 'vitest';
import type { CronWorkerOptions, News } from '../workers/cron/protocol.js';
import { CommandProcess } from './command-process.js';
import { ownProgram } from './own-process.js';

/** A replica (`test/workers/cron`) with a scheduled job, in a process of its own. */
export class CronWorker extends CommandProcess<object, News> {
  /** The times of the job, as numbers that are the same in all replicas. */
  readonly due: number[] = [];
  readonly ran: number[] = [];

  /** Resolves once its session is connected; it ends with the test. */
  static async open(options: CronWorkerOptions): Promise<CronWorker> {
    const program = [...ownProgram('dist/test/workers/cron/main.js'), JSON.stringify(options)];
    const worker = new CronWorker(program, 'the cron worker');
    // As a deployment does, so that its locks are released.
    onTestFinished(() => worker.end('SIGTERM'));
    await worker.ready();
    return worker;
  }

  protected override onNews({ type, tick }: News): void {
    this[type].push(tick);
  }
}
