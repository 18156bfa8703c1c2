import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { sharedServer } from '../support/shared-server.js';

it('refuses to work off the main thread, and says what to do', async () => {
  const library = new URL('../../libs/zk-lock/dist/locks/lock-manager.js', import.meta.url);
  const program = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { LockManager } = await import(workerData.library);
    const locks = new LockManager({ servers: workerData.servers, connectTimeoutMs: 5000 });
    const error = await locks.start().catch((failure) => failure);
    parentPort.postMessage({ code: error.code, message: error.message });
  `;
  const workerData = { library: library.href, servers: sharedServer().connectString };
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    workerData,
  });
  const [told] = (await once(worker, 'message')) as [{ code: string; message: string }];
  expect(told.code).toBe('ZK_NATIVE_CLIENT');
  expect(told.message).toMatch(/main thread.*child process/);
  await worker.terminate();
});
