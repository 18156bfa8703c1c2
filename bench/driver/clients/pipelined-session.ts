import type { RequestBody, RequestType } from 'zk-protocol';
import { WireClient, type WireReply } from '../../../test/support/wire-client.js';
import { SESSION_TIMEOUT_MS } from './session-timeout.js';

/** A session with pipelined requests: those of one turn of the event loop leave in one write. */
export class PipelinedSession {
  readonly #pings: NodeJS.Timeout;
  readonly #deletions = new Map<string, () => void>();
  #isCorked = false;

  private constructor(private readonly client: WireClient) {
    this.#pings = setInterval(() => void client.settle(), SESSION_TIMEOUT_MS / 3);
    client.socket.on('data', () => this.#tellEvents());
  }

  /** @param servers a connect string on loopback; the first server is used */
  static async open(servers: string): Promise<PipelinedSession> {
    const port = Number(/:(\d+)/.exec(servers)?.[1]);
    const client = await WireClient.connect(port, { timeOut: SESSION_TIMEOUT_MS });
    if (!client.greeting) throw new Error(`${servers} gave no session`);
    return new PipelinedSession(client);
  }

  ask<T extends RequestType>(type: T, body: RequestBody<T>): Promise<WireReply<T>> {
    this.#cork();
    return this.client.ask(type, body);
  }

  /** Resolves when the server reports that a watched node was deleted. */
  deletionOf(path: string): Promise<void> {
    return new Promise((resolve) => {
      this.#deletions.set(path, resolve);
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    await this.client.close();
  }

  #tellEvents(): void {
    for (const { path } of this.client.events) {
      this.#deletions.get(path)?.();
      this.#deletions.delete(path);
    }
    this.client.received.length = 0;
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { socket } = this.client;
    socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      socket.uncork();
    });
  }
}
