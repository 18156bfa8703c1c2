import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type {
  Command,
  Granted,
  LockReport,
  Message,
  PermitsGranted,
} from '../../apps/lock-worker/src/protocol.js';
import type {
  LockMode,
  SemaphoreOptions,
  SessionSnapshot,
  ZkLockModuleOptions,
} from 'nestjs-zk-lock';
import { waitFor } from './wait-for.js';

const program = fileURLToPath(new URL('../../apps/lock-worker/dist/main.js', import.meta.url));

export type Lost = Extract<Message, { type: 'lost' }>;

/** The beginning or the end of a worker's term. */
export type TermNews = Extract<Message, { type: 'elected' | 'deposed' }>;

/** A failure in the worker, as its library reported it. */
export class WorkerFailure extends Error {
  constructor(
    override readonly name: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const running = new Set<LockWorker>();
process.once('exit', () => {
  for (const worker of running) worker.signal('SIGKILL');
});

/** A process of its own (`apps/lock-worker`) that takes locks, to be killed, stopped and cut. */
export class LockWorker implements AsyncDisposable {
  readonly losses: Lost[] = [];
  readonly termNews: TermNews[] = [];
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  #requests = 0;
  #isReady = false;
  #errors = '';

  private constructor(options: ZkLockModuleOptions) {
    const env = { ...process.env, LOCK_WORKER_OPTIONS: JSON.stringify(options) };
    this.#process = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#onMessage(JSON.parse(line) as Message),
    );
    running.add(this);
    this.#process.once('exit', () => this.#onExit());
  }

  /** Resolves once the worker's session is connected. */
  static async start(options: ZkLockModuleOptions, timeoutMs = 20_000): Promise<LockWorker> {
    const worker = new LockWorker(options);
    const isOver = (): boolean => worker.#isReady || worker.hasExited;
    await waitFor(isOver, { what: 'the lock worker to start', timeoutMs });
    if (worker.hasExited) throw new Error(`the lock worker ended:\n${worker.#errors}`);
    return worker;
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

  acquire(key: string, mode: LockMode = 'write', timeoutMs?: number): Promise<Granted> {
    const command = { do: 'acquire', key, mode } as const;
    return this.#tell(timeoutMs === undefined ? command : { ...command, timeoutMs });
  }

  acquirePermits(
    key: string,
    of: SemaphoreOptions['permits'],
    permits = 1,
  ): Promise<PermitsGranted> {
    return this.#tell({ do: 'acquirePermits', key, of, permits });
  }

  /** Takes permits, as many at once as there are `tasks`, and notes in `file` who has how many ({@link PermitLog}). */
  occupy(
    key: string,
    of: SemaphoreOptions['permits'],
    file: string,
    tasks: readonly number[],
  ): Promise<void> {
    return this.#tell({ do: 'occupy', key, of, file, tasks });
  }

  release(lock: number): Promise<void> {
    return this.#tell({ do: 'release', lock });
  }

  assertHeld(lock: number): Promise<void> {
    return this.#tell({ do: 'assertHeld', lock });
  }

  inspect(lock: number): Promise<LockReport> {
    return this.#tell({ do: 'inspect', lock });
  }

  /** Runs `tasks` increments of the number in `file` at once, each under the lock. */
  count(key: string, file: string, tasks: number): Promise<void> {
    return this.#tell({ do: 'count', key, file, tasks });
  }

  /** The snapshot of its session. */
  session(): Promise<SessionSnapshot> {
    return this.#tell({ do: 'session' });
  }

  /** Takes part in an election; {@link termNews} tells how it goes. */
  stand(key: string): Promise<void> {
    return this.#tell({ do: 'stand', key });
  }

  resign(key: string): Promise<void> {
    return this.#tell({ do: 'resign', key });
  }

  leave(key: string): Promise<void> {
    return this.#tell({ do: 'leave', key });
  }

  isLeader(key: string): Promise<boolean> {
    return this.#tell({ do: 'isLeader', key });
  }

  /** The report of a lost lock, once it comes. */
  loss(lock: number, timeoutMs = 20_000): Promise<Lost> {
    const found = (): Lost | undefined => this.losses.find((lost) => lost.lock === lock);
    return waitFor(found, { what: `the worker to lose lock ${lock}`, timeoutMs, intervalMs: 1 });
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async exited(): Promise<void> {
    if (!this.hasExited) await once(this.#process, 'exit');
  }

  async stop(): Promise<void> {
    if (this.hasExited) return;
    this.signal('SIGCONT');
    this.signal('SIGKILL');
    await this.exited();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #tell<T>(command: Command): Promise<T> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, (message) => {
        if (message.type === 'answer') resolve(message.value as T);
        else if (message.type === 'failure') {
          const { name, code, message: text } = message.error;
          reject(new WorkerFailure(name, code, text));
        }
      });
      this.#process.stdin.write(`${JSON.stringify({ id, command })}\n`);
    });
  }

  #onExit(): void {
    running.delete(this);
    const error = { name: 'Error', code: 'WORKER_EXITED', message: this.#errors };
    for (const [id, answer] of this.#answers) answer({ type: 'failure', id, error });
    this.#answers.clear();
  }

  #onMessage(message: Message): void {
    if (message.type === 'ready') this.#isReady = true;
    else if (message.type === 'lost') this.losses.push(message);
    else if ('id' in message) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    } else this.termNews.push(message);
  }
}
