import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { machineTime } from '../../workers/soak/journal.js';
import type { WriteAnswer, WriteRequest } from '../../workers/soak/protocol.js';
import type { Write } from '../history/history.js';

/**
 * The resource that the locks guard. For each key it refuses a write with a lower fencing token
 * than it has seen, and records the writers.
 */
export class Resource implements AsyncDisposable {
  readonly #highest = new Map<string, bigint>();
  readonly #sockets = new Set<Socket>();
  #writes: Write[] = [];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      const lines = createInterface({ input: socket });
      lines.on('line', (line) => {
        const answer = this.#write(JSON.parse(line) as WriteRequest);
        if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
      });
      // Its writer was killed.
      for (const one of [socket, lines]) one.on('error', () => socket.destroy());
    });
  }

  static async start(): Promise<Resource> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Resource(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The writes since the last call. */
  takeWrites(): Write[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #write({ id, process: writer, key, token: text }: WriteRequest): WriteAnswer {
    const token = BigInt(text);
    const accepted = token >= (this.#highest.get(key) ?? token);
    if (accepted) this.#highest.set(key, token);
    const at = machineTime();
    this.#writes.push({ process: writer, key, token, accepted, at });
    return { id, accepted };
  }
}
