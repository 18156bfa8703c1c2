import type {
  LockMode,
  SemaphoreOptions,
  SessionSnapshot,
  ZkLockModuleOptions,
} from 'nestjs-zk-lock';
import type {
  Commands,
  Granted,
  LockReport,
  News,
  PermitsGranted,
} from '../workers/lock/protocol.js';
import { CommandProcess } from './command-process.js';
import { ownProgram } from './own-process.js';
import { waitFor } from './wait-for.js';

export type Lost = Extract<News, { type: 'lost' }>;

/** The beginning or the end of a worker's term. */
export type TermNews = Extract<News, { type: 'elected' | 'deposed' }>;

/** A process of its own (`test/workers/lock`) that takes locks, to be killed, stopped and cut. */
export class LockWorker extends CommandProcess<Commands, News> {
  readonly losses: Lost[] = [];
  readonly termNews: TermNews[] = [];

  /** Resolves once the worker's session is connected. */
  static async start(options: ZkLockModuleOptions): Promise<LockWorker> {
    const program = [...ownProgram('dist/test/workers/lock/main.js'), JSON.stringify(options)];
    const worker = new LockWorker(program, 'the lock worker');
    await worker.ready(20_000);
    return worker;
  }

  acquire(key: string, mode: LockMode = 'write', timeoutMs?: number): Promise<Granted> {
    return timeoutMs === undefined
      ? this.tell('acquire', key, mode)
      : this.tell('acquire', key, mode, timeoutMs);
  }

  acquirePermits(
    key: string,
    of: SemaphoreOptions['permits'],
    permits = 1,
  ): Promise<PermitsGranted> {
    return this.tell('acquirePermits', key, of, permits);
  }

  /** Takes permits, as many at once as there are `tasks`, and notes in `file` who has how many ({@link PermitLog}). */
  occupy(
    key: string,
    of: SemaphoreOptions['permits'],
    file: string,
    tasks: readonly number[],
  ): Promise<void> {
    return this.tell('occupy', key, of, file, tasks);
  }

  release(lock: number): Promise<void> {
    return this.tell('release', lock);
  }

  assertHeld(lock: number): Promise<void> {
    return this.tell('assertHeld', lock);
  }

  inspect(lock: number): Promise<LockReport> {
    return this.tell('inspect', lock);
  }

  /** Runs `tasks` increments of the number in `file` at once, each under the lock. */
  count(key: string, file: string, tasks: number): Promise<void> {
    return this.tell('count', key, file, tasks);
  }

  /** The snapshot of its session. */
  session(): Promise<SessionSnapshot> {
    return this.tell('session');
  }

  /** Takes part in an election; {@link termNews} tells how it goes. */
  stand(key: string): Promise<void> {
    return this.tell('stand', key);
  }

  resign(key: string): Promise<void> {
    return this.tell('resign', key);
  }

  leave(key: string): Promise<void> {
    return this.tell('leave', key);
  }

  isLeader(key: string): Promise<boolean> {
    return this.tell('isLeader', key);
  }

  /** The report of a lost lock, once it comes. */
  loss(lock: number, timeoutMs = 20_000): Promise<Lost> {
    const found = (): Lost | undefined => this.losses.find((lost) => lost.lock === lock);
    return waitFor(found, { what: `the worker to lose lock ${lock}`, timeoutMs, intervalMs: 1 });
  }

  protected override onNews(news: News): void {
    if (news.type === 'lost') this.losses.push(news);
    else this.termNews.push(news);
  }
}
