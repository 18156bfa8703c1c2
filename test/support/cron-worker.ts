import { onTestFinished } from 'vitest';
import type { CronWorkerOptions, Message } from '../../apps/cron-worker/src/protocol.js';
import { type News, WorkerProcess } from './worker-process.js';

/** A replica (`apps/cron-worker`) with a scheduled job, in a process of its own. */
export class CronWorker extends WorkerProcess<Message> {
  /** The times of the job, as numbers that all replicas give them. */
  readonly due: number[] = [];
  readonly ran: number[] = [];

  private constructor(options: CronWorkerOptions) {
    super({ app: 'cron-worker', optionsIn: 'CRON_WORKER_OPTIONS' }, options);
  }

  /** Resolves once its session is connected; it is ended when the test is over. */
  static async open(options: CronWorkerOptions): Promise<CronWorker> {
    const worker = new CronWorker(options);
    onTestFinished(() => worker.#stop());
    await worker.ready(20_000);
    return worker;
  }

  async killed(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited();
  }

  /** As a deployment does it, so that its locks are given back. */
  async #stop(): Promise<void> {
    if (this.hasExited) return;
    const impatience = setTimeout(() => this.signal('SIGKILL'), 10_000);
    this.signal('SIGTERM');
    await this.exited();
    clearTimeout(impatience);
  }

  protected override onNews({ type, tick }: News<Message>): void {
    this[type].push(tick);
  }
}
