import { readFileSync } from 'node:fs';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { beforeAll, expect } from 'vitest';
import type { Granted } from '../../workers/lock/protocol.js';
import { shortSession } from '../../support/locks.js';
import { LockWorker } from '../../support/lock-worker.js';
import { sharedServer, uniqueRoot } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait-for.js';
import { LyingServer } from './lying-server.js';

const TIMEOUT_MS = 1_000;
const HELD = 'held';

/** A worker and its server, which is honest until it is told to lie. */
export class LiedTo implements AsyncDisposable {
  private constructor(
    readonly server: LyingServer,
    readonly worker: LockWorker,
    readonly root: string,
  ) {}

  static async start(options: Partial<ZkLockModuleOptions> = {}): Promise<LiedTo> {
    const server = await LyingServer.start(sharedServer().port);
    const root = uniqueRoot();
    const worker = await LockWorker.start({
      ...shortSession,
      servers: server.connectString,
      root,
      connectTimeoutMs: 8_000,
      ...options,
    });
    return new LiedTo(server, worker, root);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.end();
    await this.server[Symbol.asyncDispose]();
  }

  hold(): Promise<Granted> {
    return this.worker.acquire(HELD, 'write', 20_000);
  }

  /** Requests a lock without a busy loop. Returns `granted` or the error's code. */
  async tryToLock(timeoutMs = TIMEOUT_MS): Promise<string> {
    const [startedAt, cpuBefore] = [performance.now(), this.#cpuMs()];
    const outcome = await this.worker.acquire('k', 'write', timeoutMs).then(
      () => 'granted',
      (error: unknown) => (error as { code: string }).code,
    );
    const tookMs = performance.now() - startedAt;
    expect(this.worker.hasExited).toBe(false);
    // Half of the time, plus an allowance for the start.
    expect(this.#cpuMs() - cpuBefore).toBeLessThan(tookMs / 2 + 500);
    return outcome;
  }

  /** Checks that everything works as before once the server is honest again. */
  async expectRecovery(): Promise<void> {
    this.server.lie = undefined;
    // The session that received the lies may end while the first lock is held.
    const isServed = async (): Promise<boolean> => {
      const { lock } = await this.worker.acquire('sane', 'write', 3_000);
      try {
        await this.worker.assertHeld(lock);
      } finally {
        await this.worker.release(lock);
      }
      return true;
    };
    await waitFor(isServed, { what: 'a lock from a sane server' });
  }

  #cpuMs(): number {
    const stat = readFileSync(`/proc/${this.worker.pid}/stat`, 'utf8');
    const fields = stat.split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }
}

/** Shares one worker among the tests of a file. */
export function useLiedTo(options?: Partial<ZkLockModuleOptions>): { readonly story: LiedTo } {
  const told = {} as { story: LiedTo };
  beforeAll(async () => {
    told.story = await LiedTo.start(options);
    return () => told.story[Symbol.asyncDispose]();
  });
  return told;
}
