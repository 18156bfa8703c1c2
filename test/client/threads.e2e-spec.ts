import { json } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import { sharedServer, uniqueRoot } from '../support/shared-server.js';

interface Told {
  readonly log: string[];
  readonly isHeld?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Takes a lock in a thread of its own, which has then nothing left to do, and ends. */
async function lockInThread(options: Partial<ZkLockModuleOptions>): Promise<Told> {
  const servers = sharedServer().connectString;
  const all = { servers, root: uniqueRoot(), connectTimeoutMs: 5_000, ...options };
  const worker = new Worker(new URL('lock-once.mjs', import.meta.url), {
    env: { ...process.env, ZK_LOCKS_CLIENT: '', LOCK_OPTIONS: JSON.stringify(all) },
    stdout: true,
  });
  return (await json(worker.stdout)) as Told;
}

it('refuses npm `zookeeper` off the main thread, closes, and says what to do', async () => {
  const { error } = await lockInThread({ client: 'native' });
  expect(error?.code).toBe('ZK_LOCK_CONFIG');
  expect(error?.message).toMatch(/`client`.*main thread.*client: 'wire'.*child process/);
});

it('works in any thread by the default client', async () => {
  const { log, isHeld } = await lockInThread({});
  expect(isHeld).toBe(true);
  expect(log[0]).toBe('Using client "wire" (zk-client).');
});
