import type { LockMode, SemaphoreOptions, ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { SessionSnapshot } from 'nestjs-zk-lock/inspect';
import type {
  Commands,
  Granted,
  LockReport,
  Loss,
  News,
  PermitsGranted,
} from '../workers/lock/protocol.js';
import { CommandProcess } from './command-process.js';
import { ownProgram } from './own-process.js';
import { waitFor } from './wait-for.js';

/**
 * A separate process (`test/workers/lock`) that takes locks. Tests kill it, stop it and cut its
 * network.
 */
export class LockWorker extends CommandProcess<Commands, News> {
  readonly losses: Loss[] = [];
  #hangs = 0;

  /** Resolves once the worker's session is connected. */
  static async start(options: ZkLockModuleOptions): Promise<LockWorker> {
    const program = [...ownProgram('dist/test/workers/lock/main.js'), JSON.stringify(options)];
    const worker = new LockWorker(program, 'the lock worker');
    await worker.ready();
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

  release(lock: number): Promise<void> {
    return this.tell('release', lock);
  }

  /** Resolves once the event loop is blocked. */
  async untilHanging(): Promise<void> {
    await waitFor(() => this.#hangs > 0, { what: 'the worker to block its event loop' });
  }

  assertHeld(lock: number): Promise<void> {
    return this.tell('assertHeld', lock);
  }

  inspect(lock: number): Promise<LockReport> {
    return this.tell('inspect', lock);
  }

  /** The snapshot of its session. */
  session(): Promise<SessionSnapshot> {
    return this.tell('session');
  }

  /** The report that this lock is lost; waits for it. */
  loss(lock: number, timeoutMs = 20_000): Promise<Loss> {
    const found = (): Loss | undefined => this.losses.find((lost) => lost.lock === lock);
    return waitFor(found, { what: `the worker to lose lock ${lock}`, timeoutMs, intervalMs: 1 });
  }

  protected override onNews(news: News): void {
    if (news.type === 'lost') this.losses.push(news);
    else this.#hangs++;
  }
}
