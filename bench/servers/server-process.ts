import { isListening } from '../../test/support/is-listening.js';
import { OwnProcess } from '../../test/support/own-process.js';
import { waitFor } from '../../test/support/wait-for.js';

/** A server other than ZooKeeper, in one process, which ends with this one at the latest. */
export class ServerProcess extends OwnProcess {
  #log = '';

  private constructor(private readonly words: readonly string[]) {
    super(words);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-8_192);
    });
  }

  /** Resolves once the server listens on `port`. */
  static async start(words: readonly string[], port: number): Promise<ServerProcess> {
    const server = new ServerProcess(words);
    try {
      await server.#listening(port);
    } catch (cause) {
      await server.stop();
      const log = server.#log + server.errors;
      throw new Error(`${String(words[0])} did not start:\n${log}`, { cause });
    }
    return server;
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  async #listening(port: number): Promise<void> {
    const what = `${String(this.words[0])} to listen on port ${port}`;
    const isUp = async (): Promise<boolean> => this.hasExited || (await isListening(port));
    await waitFor(isUp, { what, timeoutMs: 20_000, intervalMs: 20 });
    if (this.hasExited) throw new Error('the process ended');
  }
}
