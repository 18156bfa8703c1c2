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
import { type News, WorkerProcess } from './worker-process.js';

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

/** A process of its own (`apps/lock-worker`) that takes locks, to be killed, stopped and cut. */
export class LockWorker extends WorkerProcess<Message> implements AsyncDisposable {
  readonly losses: Lost[] = [];
  readonly termNews: TermNews[] = [];
  readonly #answers = new Map<number, (message: Message) => void>();
  #requests = 0;

  private constructor(options: ZkLockModuleOptions) {
    super({ app: 'lock-worker', optionsIn: 'LOCK_WORKER_OPTIONS' }, options);
  }

  /** Resolves once the worker's session is connected. */
  static async start(options: ZkLockModuleOptions, timeoutMs = 20_000): Promise<LockWorker> {
    const worker = new LockWorker(options);
    await worker.ready(timeoutMs);
    return worker;
  }

  acquire(key: string, mode: LockMode = 'write', timeoutMs?: number): Promise<Granted> {
    const command = { do: 'acquire', key, mode } as const;
    return this.#ask(timeoutMs === undefined ? command : { ...command, timeoutMs });
  }

  acquirePermits(
    key: string,
    of: SemaphoreOptions['permits'],
    permits = 1,
  ): Promise<PermitsGranted> {
    return this.#ask({ do: 'acquirePermits', key, of, permits });
  }

  /** Takes permits, as many at once as there are `tasks`, and notes in `file` who has how many ({@link PermitLog}). */
  occupy(
    key: string,
    of: SemaphoreOptions['permits'],
    file: string,
    tasks: readonly number[],
  ): Promise<void> {
    return this.#ask({ do: 'occupy', key, of, file, tasks });
  }

  release(lock: number): Promise<void> {
    return this.#ask({ do: 'release', lock });
  }

  assertHeld(lock: number): Promise<void> {
    return this.#ask({ do: 'assertHeld', lock });
  }

  inspect(lock: number): Promise<LockReport> {
    return this.#ask({ do: 'inspect', lock });
  }

  /** Runs `tasks` increments of the number in `file` at once, each under the lock. */
  count(key: string, file: string, tasks: number): Promise<void> {
    return this.#ask({ do: 'count', key, file, tasks });
  }

  /** The snapshot of its session. */
  session(): Promise<SessionSnapshot> {
    return this.#ask({ do: 'session' });
  }

  /** Takes part in an election; {@link termNews} tells how it goes. */
  stand(key: string): Promise<void> {
    return this.#ask({ do: 'stand', key });
  }

  resign(key: string): Promise<void> {
    return this.#ask({ do: 'resign', key });
  }

  leave(key: string): Promise<void> {
    return this.#ask({ do: 'leave', key });
  }

  isLeader(key: string): Promise<boolean> {
    return this.#ask({ do: 'isLeader', key });
  }

  /** The report of a lost lock, once it comes. */
  loss(lock: number, timeoutMs = 20_000): Promise<Lost> {
    const found = (): Lost | undefined => this.losses.find((lost) => lost.lock === lock);
    return waitFor(found, { what: `the worker to lose lock ${lock}`, timeoutMs, intervalMs: 1 });
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

  #ask<T>(command: Command): Promise<T> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, (message) => {
        if (message.type === 'answer') resolve(message.value as T);
        else if (message.type === 'failure') {
          const { name, code, message: text } = message.error;
          reject(new WorkerFailure(name, code, text));
        }
      });
      this.tell({ id, command });
    });
  }

  protected override onExit(errors: string): void {
    const error = { name: 'Error', code: 'WORKER_EXITED', message: errors };
    for (const [id, answer] of this.#answers) answer({ type: 'failure', id, error });
    this.#answers.clear();
  }

  protected override onNews(message: News<Message>): void {
    if (message.type === 'lost') this.losses.push(message);
    else if ('id' in message) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    } else this.termNews.push(message);
  }
}
