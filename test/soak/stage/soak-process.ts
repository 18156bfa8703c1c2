import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type {
  Closed,
  Command,
  Idle,
  Message,
  SoakWorkerOptions,
  Workload,
} from '../../../apps/soak-worker/src/protocol.js';
import { waitFor } from '../../support/wait-for.js';
import { FAIL_ON_WARNING } from '../../support/own-program.js';

const running = new Set<SoakProcess>();
process.once('exit', () => {
  for (const worker of running) worker.signal('SIGKILL');
});

/** A process whose tasks compete for locks (`apps/soak-worker`), from its start to its end. */
export class SoakProcess {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers = new Map<number, { resolve(value: unknown): void; reject(e: Error): void }>();
  #requests = 0;
  #isReady = false;
  #errors = '';
  #read = 0;
  #isStopped = false;

  private constructor(
    program: string,
    private readonly options: SoakWorkerOptions,
  ) {
    const env = { ...process.env, SOAK_WORKER_OPTIONS: JSON.stringify(options) };
    this.#process = spawn(process.execPath, [...FAIL_ON_WARNING, program], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    // A command to a process that is just being killed.
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#onMessage(JSON.parse(line) as Message),
    );
    running.add(this);
    this.#process.once('exit', () => this.#onExit());
  }

  /** @param program the worker's main file, of this build or of another one */
  static async start(program: string, options: SoakWorkerOptions): Promise<SoakProcess> {
    const worker = new SoakProcess(program, options);
    const what = `the soak worker ${options.name} to start`;
    await waitFor(() => worker.#isReady || worker.hasExited, { what, timeoutMs: 30_000 });
    if (worker.hasExited) throw new Error(`the soak worker ended:\n${worker.#errors}`);
    return worker;
  }

  get name(): string {
    return this.options.name;
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** How it ended, and what it said on its way. */
  get lastWords(): string {
    const { exitCode, signalCode } = this.#process;
    return `${signalCode ?? `exit code ${String(exitCode)}`} ${this.#errors}`.trim();
  }

  async run(workload: Workload = {}): Promise<void> {
    await this.#tell({ do: 'run', ...workload });
  }

  /** Resolves once all tasks are done with what they do. */
  pause(): Promise<Idle> {
    return this.#tell({ do: 'pause' }) as Promise<Idle>;
  }

  /** Whoever holds something holds on to it for so long. Resolves once somebody does. */
  async cling(ms: number): Promise<void> {
    await this.#tell({ do: 'cling', ms });
  }

  /** Blocks its event loop; resolves when that is over. */
  async stall(ms: number): Promise<void> {
    await this.#tell({ do: 'stall', ms });
  }

  /** Sets its wall clock forward. */
  async setForward(ms: number): Promise<void> {
    await this.#tell({ do: 'set-forward', ms });
  }

  /** Which server it is connected to, as `ip:port`. */
  connectedTo(): Promise<string | undefined> {
    return this.#tell({ do: 'where' }) as Promise<string | undefined>;
  }

  /** Lets it close everything and end by itself; what was left that would keep it alive. */
  async close(timeoutMs: number): Promise<readonly string[]> {
    const { resources } = (await this.#tell({ do: 'close' })) as Closed;
    const what = `${this.name} to end by itself, with ${resources.join(', ') || 'nothing'} left`;
    await waitFor(() => this.hasExited, { what, timeoutMs });
    return resources;
  }

  /** Stops it where it stands. */
  stop(): void {
    this.#isStopped = true;
    this.signal('SIGSTOP');
  }

  resume(): void {
    if (this.#isStopped) this.signal('SIGCONT');
    this.#isStopped = false;
  }

  async kill(): Promise<void> {
    if (this.hasExited) return;
    this.signal('SIGKILL');
    await once(this.#process, 'exit');
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** What it has written down since this was asked last. */
  readJournal(): string {
    const file = openSync(this.options.journal, 'r');
    try {
      const rest = Buffer.alloc(fstatSync(file).size - this.#read);
      readSync(file, rest, 0, rest.length, this.#read);
      this.#read += rest.length;
      return rest.toString();
    } finally {
      closeSync(file);
    }
  }

  #tell(command: Command): Promise<unknown> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      if (this.hasExited) reject(this.#ended());
      this.#answers.set(id, { resolve, reject });
      this.#process.stdin.write(`${JSON.stringify({ id, command })}\n`);
    });
  }

  #ended(): Error {
    return new Error(`${this.name} has ended: ${this.lastWords}`);
  }

  #onExit(): void {
    running.delete(this);
    for (const { reject } of this.#answers.values()) reject(this.#ended());
    this.#answers.clear();
  }

  #onMessage(message: Message): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      return;
    }
    const answer = this.#answers.get(message.id);
    this.#answers.delete(message.id);
    if (message.type === 'answer') answer?.resolve(message.value);
    else answer?.reject(new Error(message.error));
  }
}
