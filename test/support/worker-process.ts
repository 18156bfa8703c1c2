import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { waitFor } from './wait-for.js';
import { FAIL_ON_WARNING } from './own-program.js';

export interface WorkerProgram {
  /** Its folder in `apps`. */
  readonly app: string;
  /** The variable of its environment that has its options, as JSON. */
  readonly optionsIn: string;
}

/** What it says once it is ready. */
export type News<Message> = Exclude<Message, { readonly type: 'ready' }>;

const running = new Set<WorkerProcess<never>>();
process.once('exit', () => {
  for (const worker of running) worker.signal('SIGKILL');
});

/**
 * A program of ours in a process of its own, which says one JSON object a line: first of all, once
 * its session is connected, that it is ready.
 */
export abstract class WorkerProcess<Message extends { readonly type: string }> {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  #isReady = false;
  #errors = '';

  protected constructor(
    private readonly program: WorkerProgram,
    options: object,
  ) {
    const { app, optionsIn } = program;
    const main = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
    const env = { ...process.env, [optionsIn]: JSON.stringify(options) };
    this.#process = spawn(process.execPath, [...FAIL_ON_WARNING, main], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (message.type === 'ready') this.#isReady = true;
      else this.onNews(message as News<Message>);
    });
    running.add(this);
    this.#process.once('exit', () => {
      running.delete(this);
      this.onExit(this.#errors);
    });
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** The signal that ended it, if one did. */
  get exitSignal(): NodeJS.Signals | null {
    return this.#process.signalCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async exited(): Promise<void> {
    if (!this.hasExited) await once(this.#process, 'exit');
  }

  protected async ready(timeoutMs: number): Promise<void> {
    const { app } = this.program;
    const isOver = (): boolean => this.#isReady || this.hasExited;
    await waitFor(isOver, { what: `the ${app} to start`, timeoutMs });
    if (this.hasExited) throw new Error(`the ${app} ended:\n${this.#errors}`);
  }

  protected tell(line: object): void {
    this.#process.stdin.write(`${JSON.stringify(line)}\n`);
  }

  protected abstract onNews(news: News<Message>): void;

  /** @param _errors what it wrote to its standard error */
  protected onExit(_errors: string): void {
    // Most have nobody to tell.
  }
}
