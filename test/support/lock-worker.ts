import type { LockMode, SemaphoreOptions, ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { SessionSnapshot } from 'nestjs-zk-lock/inspect';
import type {
  Commands,
  Granted,
  LockReport,
  Loss,
  News,
  PermitsGranted,
  Phase,
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

  /**
   * Requests permits with several tasks at once, and logs in `file` which task has how many ({@link
   * PermitLog}).
   */
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

  /**
   * Blocks the event loop until `file` exists, and then requests a lock before reading its sockets.
   */
  hangAndAcquire(from: Phase, file: string, key: string): Promise<Granted> {
    return this.tell('hangAndAcquire', from, file, key);
  }

  /** Resolves once the event loop is blocked. */
  async untilHanging(): Promise<void> {
    await waitFor(() => this.#hangs > 0, { what: 'the worker to block its event loop' });
  }

  /** Sends this many reads of a node without waiting for the answers. */
  read(path: string, times: number): Promise<void> {
    return this.tell('read', path, times);
  }

  assertHeld(lock: number): Promise<void> {
    return this.tell('assertHeld', lock);
  }

  inspect(lock: number): Promise<LockReport> {
    return this.tell('inspect', lock);
  }

  /** Writes under the lock until it is lost, and rejects with the error of the last write. */
  write(lock: number, path: string, text: string): Promise<void> {
    return this.tell('write', lock, path, text);
  }

  /** Runs `tasks` increments of the number in `file` at once, each under the lock. */
  count(key: string, file: string, tasks: number): Promise<void> {
    return this.tell('count', key, file, tasks);
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
