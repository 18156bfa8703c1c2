import { onTestFinished } from 'vitest';
import type { CronWorkerOptions, News } from '../workers/cron/protocol.js';
import { CommandProcess } from './command-process.js';
import { ownProgram } from './own-process.js';

/** A replica (`test/workers/cron`) with a scheduled job, in a process of its own. */
export class CronWorker extends CommandProcess<object, News> {
  /** The times of the job, as numbers that all replicas give them. */
  readonly due: number[] = [];
  readonly ran: number[] = [];

  /** Resolves once its session is connected; it is ended when the test is over. */
  static async open(options: CronWorkerOptions): Promise<CronWorker> {
    const program = [...ownProgram('dist/test/workers/cron/main.js'), JSON.stringify(options)];
    const worker = new CronWorker(program, 'the cron worker');
    // As a deployment does it, so that its locks are given back.
    onTestFinished(() => worker.end('SIGTERM'));
    await worker.ready();
    return worker;
  }

  protected override onNews({ type, tick }: News): void {
    this[type].push(tick);
  }
}
