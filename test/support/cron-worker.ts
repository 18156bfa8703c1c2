import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { CronWorkerOptions, Message } from '../../apps/cron-worker/src/protocol.js';
import { waitFor } from './wait-for.js';

const program = fileURLToPath(new URL('../../apps/cron-worker/dist/main.js', import.meta.url));

const running = new Set<CronWorker>();
process.once('exit', () => {
  for (const worker of running) worker.kill();
});

/** A replica (`apps/cron-worker`) with a scheduled job, in a process of its own. */
export class CronWorker {
  /** The times of the job, as numbers that all replicas give them. */
  readonly due: number[] = [];
  readonly ran: number[] = [];
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  #isReady = false;
  #errors = '';

  private constructor(options: CronWorkerOptions) {
    const env = { ...process.env, CRON_WORKER_OPTIONS: JSON.stringify(options) };
    this.#process = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#onMessage(JSON.parse(line) as Message),
    );
    running.add(this);
    this.#process.once('exit', () => running.delete(this));
  }

  /** Resolves once its session is connected; it is ended when the test is over. */
  static async open(options: CronWorkerOptions): Promise<CronWorker> {
    const worker = new CronWorker(options);
    onTestFinished(() => worker.#stop());
    const isOver = (): boolean => worker.#isReady || worker.#hasExited;
    await waitFor(isOver, { what: 'the cron worker to start', timeoutMs: 20_000 });
    if (worker.#hasExited) throw new Error(`the cron worker ended:\n${worker.#errors}`);
    return worker;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  get #hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** As a deployment does it, so that its locks are given back. */
  async #stop(): Promise<void> {
    if (this.#hasExited) return;
    const impatience = setTimeout(() => this.kill(), 10_000);
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
    clearTimeout(impatience);
  }

  #onMessage(message: Message): void {
    if (message.type === 'ready') this.#isReady = true;
    else this[message.type].push(message.tick);
  }
}
