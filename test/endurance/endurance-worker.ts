import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../support/wait-for.js';
import type { Commands, Message, WorkerSettings } from './worker/protocol.js';
import { FAIL_ON_WARNING } from '../support/own-program.js';

const program = fileURLToPath(new URL('worker/dist/main.js', import.meta.url));

const execArgv = [
  ...FAIL_ON_WARNING,
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  // Of one size from the start, so that `rss` does not grow by it in the middle of a run.
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
];

/** The process whose memory and handles are measured; it runs what was built. */
export class EnduranceWorker implements AsyncDisposable {
  readonly #answers = new Map<number, (message: Message | undefined) => void>();
  readonly #process: ChildProcess;
  #requests = 0;
  #isReady = false;

  private constructor(settings: WorkerSettings) {
    const env = { ...process.env, ENDURANCE_SETTINGS: JSON.stringify(settings) };
    this.#process = fork(program, { env, execArgv });
    this.#process.on('message', (message: Message) => this.#onMessage(message));
    this.#process.once('exit', () => this.#onExit());
  }

  /** Resolves once the worker's session is connected. */
  static async start(settings: WorkerSettings): Promise<EnduranceWorker> {
    const worker = new EnduranceWorker(settings);
    await waitFor(() => worker.#isReady || worker.#hasExited, {
      what: 'the endurance worker to start',
      timeoutMs: 30_000,
    });
    if (worker.#hasExited) throw new Error('the endurance worker ended before it began');
    return worker;
  }

  /** Runs a command there; rejects with what it threw. */
  tell<C extends keyof Commands>(
    command: C,
    ...args: Parameters<Commands[C]>
  ): ReturnType<Commands[C]> {
    const id = ++this.#requests;
    const answer = new Promise((resolve, reject) => {
      if (this.#hasExited) return reject(new Error('the endurance worker has ended'));
      this.#answers.set(id, (message) => {
        if (message?.type === 'answer') resolve(message.value);
        else if (message?.type === 'failure') reject(new Error(`in the worker: ${message.error}`));
        else reject(new Error(`the endurance worker ended during "${command}"`));
      });
      this.#process.send({ id, command, args });
    });
    return answer as ReturnType<Commands[C]>;
  }

  async stop(): Promise<void> {
    if (this.#hasExited) return;
    const exited = once(this.#process, 'exit');
    this.#process.disconnect();
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  #onMessage(message: Message): void {
    if (message.type === 'ready') this.#isReady = true;
    else {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    }
  }

  #onExit(): void {
    for (const answer of this.#answers.values()) answer(undefined);
    this.#answers.clear();
  }
}
