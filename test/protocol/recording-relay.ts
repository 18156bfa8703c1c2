import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FrameReader } from 'zk-protocol';
import { ReadAlong, type ReadFrame } from '../../libs/zk-protocol/src/testing/read-along.js';

/** Passes bytes between clients and a server, and keeps what they said to each other. */
export class RecordingRelay implements AsyncDisposable {
  /** The frames of each connection, in the order in which they came here. */
  readonly connections: ReadFrame[][] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.#relay(client));
  }

  static async start(targetPort: number): Promise<RecordingRelay> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RecordingRelay(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get frames(): ReadFrame[] {
    return this.connections.flat();
  }

  /** Resets every connection; new ones are welcome. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  #relay(client: Socket): void {
    const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    const frames: ReadFrame[] = [];
    this.connections.push(frames);
    const readAlong = new ReadAlong();
    for (const [from, to, name] of [
      [client, server, 'client'],
      [server, client, 'server'],
    ] as const) {
      this.#sockets.add(from);
      const reader = new FrameReader(0x7fff_ffff);
      from.on('data', (piece) => {
        for (const bytes of reader.read(piece)) {
          frames.push(readAlong.read({ from: name, bytes: Buffer.from(bytes) }));
        }
        to.write(piece);
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }
}
