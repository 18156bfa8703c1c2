import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { RelayAnswer, RelayCall } from './relay/relay-process.js';

interface PendingCall {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * A process in which relays run. ZooKeeper's C client blocks the thread that closes it until the
 * server has answered, and goes on polling numbers of file descriptors that it has closed: a relay
 * in the process of its client would stand still with it.
 */
export class RelayHost implements AsyncDisposable {
  readonly #pending = new Map<number, PendingCall>();
  #calls = 0;

  private constructor(private readonly process: ChildProcess) {
    process.on('message', (answer: RelayAnswer) => {
      const call = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if (this.#pending.size === 0) process.channel?.unref();
      if ('error' in answer) call?.reject(answer.error);
      else call?.resolve(answer.value);
    });
  }

  static async start(): Promise<RelayHost> {
    const code = await script();
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Passes bigints.
      serialization: 'advanced',
    });
    child.unref();
    child.channel?.unref();
    return new RelayHost(child);
  }

  /** Calls a method of the relay that listens on `port`. */
  call(port: number, method: string, args: readonly unknown[]): Promise<unknown> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      // Only an answer that is waited for keeps this process alive.
      this.process.channel?.ref();
      this.process.send({ id, port, method, args } satisfies RelayCall);
    });
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.ref();
    this.process.kill('SIGKILL');
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

let bundled: Promise<string> | undefined;

/** The process's code as one piece of JavaScript: Node 20 runs no TypeScript. */
function script(): Promise<string> {
  bundled ??= bundle(fileURLToPath(new URL('relay/relay-process.ts', import.meta.url)));
  return bundled;
}

async function bundle(input: string): Promise<string> {
  await using build = await rolldown({ input, platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  return output[0].code;
}
