import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { WriteAnswer, WriteRequest } from './protocol.js';

/** A resource that refuses fencing tokens lower than one it has seen. */
export interface Fenced {
  /** Whether the resource has accepted it. */
  write(grant: number, key: string, token: bigint): Promise<boolean>;
}

/** Writes to the resource that refuses fencing tokens lower than one it has seen. */
export class ResourceClient implements Fenced {
  readonly #answers = new Map<number, (accepted: boolean) => void>();
  #writes = 0;

  private constructor(
    private readonly process: string,
    private readonly socket: Socket,
  ) {
    createInterface({ input: socket }).on('line', (line) => {
      const { id, accepted } = JSON.parse(line) as WriteAnswer;
      this.#answers.get(id)?.(accepted);
      this.#answers.delete(id);
    });
  }

  static async connect(process: string, port: number): Promise<ResourceClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new ResourceClient(process, socket);
  }

  /** Whether the resource has accepted it. */
  write(grant: number, key: string, token: bigint): Promise<boolean> {
    const id = ++this.#writes;
    const request: WriteRequest = {
      ...{ id, process: this.process, grant, key },
      token: String(token),
    };
    this.socket.write(`${JSON.stringify(request)}\n`);
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  async close(): Promise<void> {
    this.socket.end();
    await once(this.socket, 'close');
  }
}
