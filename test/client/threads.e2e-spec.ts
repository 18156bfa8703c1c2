import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { LockManagerOptions } from 'nestjs-zk-lock';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

interface Told {
  readonly log: string[];
  readonly fencingToken?: string;
  readonly state?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Takes a lock in a thread of its own. */
async function lockInThread(options: Partial<LockManagerOptions>): Promise<Told> {
  const library = new URL('../../libs/zk-lock/dist/locks/lock-manager.js', import.meta.url);
  const program = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { LockManager } = await import(workerData.library);
    const log = [];
    const note = (line) => log.push(line);
    const logger = { debug: note, log: note, warn: note, error: note };
    const locks = new LockManager(workerData.options, logger);
    try {
      await locks.start();
      const lock = await locks.acquire('k');
      parentPort.postMessage({ log, fencingToken: String(lock.fencingToken) });
    } catch ({ code, message }) {
      const state = locks.session.snapshot.state.name;
      parentPort.postMessage({ log, state, error: { code, message } });
    }
    await locks.close();
  `;
  const servers = sharedServer().connectString;
  const workerData = {
    library: library.href,
    options: { servers, root: uniqueRoot(), connectTimeoutMs: 5_000, ...options },
  };
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    workerData,
    env: { ...process.env, NESTJS_ZK_LOCK_CLIENT: '' },
  });
  const [messages] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
  return messages[0] as Told;
}

it('refuses to load npm `zookeeper` off the main thread, closes, and says what to do', async () => {
  const { error, state } = await lockInThread({ client: 'native' });
  expect(error?.code).toBe('ZK_NATIVE_CLIENT');
  expect(error?.message).toMatch(/main thread.*child process.*client/);
  expect(state).toBe('closed');
});

it('works in any thread by zk-client, and says why it was chosen', async () => {
  const { log, fencingToken } = await lockInThread({});
  expect(BigInt(fencingToken ?? 0)).toBeGreaterThan(0n);
  expect(log[0]).toBe(
    'Speaks to ZooKeeper by zk-client, for npm `zookeeper` works on the main thread only.',
  );
});
