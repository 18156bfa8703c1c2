import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { boundToParent } from '../../test/support/bound-to-parent.js';
import { isListening } from '../../test/support/is-listening.js';
import { waitFor } from '../../test/support/wait-for.js';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A server that is no ZooKeeper: one process, which ends with this one at the latest. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #log = '';

  private constructor(private readonly words: readonly string[]) {
    const { command, args } = boundToParent(words);
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-8_192);
      });
    }
    running.add(this.#child);
    this.#closed = once(this.#child, 'close')
      .catch((error: unknown) => (this.#log += String(error)))
      .finally(() => running.delete(this.#child));
  }

  /** Resolves once it listens on `port`. */
  static async start(words: readonly string[], port: number): Promise<ServerProcess> {
    const server = new ServerProcess(words);
    try {
      await server.#listening(port);
    } catch (cause) {
      await server.stop();
      throw new Error(`${String(words[0])} did not start:\n${server.#log}`, { cause });
    }
    return server;
  }

  async stop(): Promise<void> {
    if (!running.has(this.#child)) return;
    this.#child.kill('SIGTERM');
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#closed;
    clearTimeout(impatience);
  }

  async #listening(port: number): Promise<void> {
    const what = `${String(this.words[0])} to listen on port ${port}`;
    const seen = await waitFor(
      async () => {
        if (!running.has(this.#child)) return 'ended';
        return (await isListening(port)) && 'listening';
      },
      { what, timeoutMs: 20_000, intervalMs: 20 },
    );
    if (seen === 'ended') throw new Error('the process ended');
  }
}
