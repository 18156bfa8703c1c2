import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ServerThread } from './server-thread.js';

/** A thread that starts, and then answers nothing. */
vi.mock('node:worker_threads', () => ({
  Worker: class extends EventEmitter {
    constructor() {
      super();
      process.nextTick(() => this.emit('message', { port: 1 }));
    }
    postMessage(): void {
      // It is blocked.
    }
    terminate(): Promise<number> {
      this.emit('exit', 1);
      return Promise.resolve(1);
    }
  },
}));

it('terminates a thread that does not answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const thread = await ServerThread.start({});
  const stopped = thread.stop();
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  await expect(thread.call('sessions')).rejects.toThrow('has been stopped');
});
